;;; What Emacs makes of specs, in TAP.  The folder is that of emacs.test.  -*- lexical-binding: t -*-
(load (concat (getenv "top_srcdir") "/editors/emacs/stowage-mode.el") nil t)
(require 'cl-lib)
(require 'imenu)
(require 'compile)
(setq stowage-program (getenv "STOWAGE") inhibit-message t)

(defun test (name function)
  (let ((wrong (condition-case signal
                   (progn (funcall function) nil)
                 (error (format "%S" signal)))))
    (princ (format "%s - %s\n" (if wrong "not ok" "ok") name))
    (when wrong
      (princ (format "# %s\n" (replace-regexp-in-string "\n" " " wrong))))))

(defun same (wanted found)
  (unless (equal wanted found)
    (error "expected %S, found %S" wanted found)))

(defmacro with-spec (file &rest body)
  (declare (indent 1))
  `(progn
     (find-file ,file)
     (unwind-protect
         (progn ,@body)
       (set-buffer-modified-p nil)
       (kill-buffer))))

(defun words ()
  "What stands at each diagnostic, with its kind and the first line of its text."
  (sort (mapcar (lambda (d)
                  (list (buffer-substring (flymake-diagnostic-beg d) (flymake-diagnostic-end d))
                        (flymake-diagnostic-type d)
                        (car (split-string (flymake-diagnostic-text d) "\n"))))
                (flymake-diagnostics))
        (lambda (a b) (string< (car a) (car b)))))

(defun flymake-done ()
  (flymake-mode 1)
  (flymake-start)
  (let ((end (+ (float-time) 60)))
    (while (and (flymake-running-backends)
                (null (flymake-reporting-backends))
                (< (float-time) end))
      (accept-process-output nil 0.1))
    (accept-process-output nil 0.1)))

(test "Emacs: specs and project files are known by their names"
      (lambda ()
        (with-spec "broken.nn" (same 'stowage-mode major-mode))
        (with-spec ".stowage" (same 'stowage-mode major-mode))))

(test "Emacs: findings of the buffer's text stand at their words, behind letters beyond ASCII"
      (lambda ()
        (with-spec "broken.nn"
          (goto-char (point-min))
          (insert "# not saved: ≤\n")
          (flymake-done)
          (same '("dens" "nowhere") (mapcar #'car (words)))
          (same '(:error :error) (mapcar #'cadr (words)))
          (unless (string-match-p "called 'dens'.*\\[name\\]" (nth 2 (car (words))))
            (error "%S" (words)))
          (unless (string-match-p "did you mean" (flymake-diagnostic-text
                                                  (car (flymake-diagnostics 40 120))))
            (error "no help")))))

(test "Emacs: a spec without findings has none; with an unused parameter, a warning"
      (lambda ()
        (with-spec "fine.nn"
          (flymake-done)
          (same nil (words))
          (goto-char (point-min))
          (insert "param unused = 1\n")
          (flymake-mode -1)
          (flymake-done)
          (same '(("unused" :warning)) (mapcar (lambda (w) (list (car w) (cadr w))) (words))))))

(test "Emacs: compile knows the places of findings"
      (lambda ()
        (with-temp-buffer
          (call-process stowage-program nil t nil "lint" "broken.nn")
          (setq default-directory (expand-file-name default-directory))
          (compilation-mode)
          (let ((inhibit-read-only t))
            (compilation--ensure-parse (point-max)))
          (let* ((message (get-text-property (point-min) 'compilation-message))
                 (place (compilation--message->loc message)))
            (same 5 (compilation--loc->line place))
            (same "broken.nn" (caar (compilation--loc->file-struct place)))))))

(test "Emacs: a spec is laid out, and point stays in its word"
      (lambda ()
        (with-spec "loose.nn"
          (search-forward "z =")
          (let ((text (buffer-string)) laid)
            (with-temp-buffer
              (insert text)
              (call-process-region nil nil stowage-program t t nil "fmt" "-")
              (setq laid (buffer-string)))
            (when (equal text laid)
              (error "it was laid out before"))
            (stowage-format-buffer)
            (same laid (buffer-string))
            (unless (looking-back "z +=" (line-beginning-position))
              (error "point moved to %d" (point)))))))

(test "Emacs: what does not parse stays, with the error"
      (lambda ()
        (with-temp-buffer
          (insert "network n {\n  x = (\n}\n")
          (stowage-mode)
          (let ((text (buffer-string)))
            (same t (condition-case signal
                        (progn (stowage-format-buffer) 'no-error)
                      (user-error (not (null (string-match-p ":2:" (cadr signal)))))))
            (same text (buffer-string))))))

(test "Emacs: lines are indented as they are typed"
      (lambda ()
        (with-temp-buffer
          (stowage-mode)
          (electric-indent-local-mode 1)
          (dolist (line '("network n {" "y = x -> conv(3," "pad=1)" "-> relu" "}"))
            (insert line)
            (indent-according-to-mode)
            (unless (equal line "}")
              (goto-char (point-max))
              (newline-and-indent)))
          (same "network n {\n  y = x -> conv(3,\n                pad=1)\n        -> relu\n}"
                (buffer-string)))))

(test "Emacs: items are defuns, and in the index"
      (lambda ()
        (with-spec "uses.nn"
          (goto-char (point-max))
          (beginning-of-defun)
          (same "network" (thing-at-point 'word t))
          (same '("n") (mapcar #'car (cdr (assoc "Networks" (imenu--make-index-alist t))))))))

(test "Emacs: a string ends with its line, and # in it begins no comment"
      (lambda ()
        (with-temp-buffer
          (insert "use \"a#b\ntrain { data csv(\"c#d\") } # e\n")
          (stowage-mode)
          (font-lock-ensure)
          (goto-char (point-min))
          (search-forward "train")
          (same 'font-lock-keyword-face (get-text-property (match-beginning 0) 'face))
          (search-forward "#d")
          (same 'font-lock-string-face (get-text-property (match-beginning 0) 'face))
          (search-forward "# e")
          (same 'font-lock-comment-face (get-text-property (1- (match-end 0)) 'face)))))
