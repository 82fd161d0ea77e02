;;; Eglot and `stowage lsp', in TAP.  The folder is one that write_specs made.  -*- lexical-binding: t -*-
(package-initialize)
(require 'eglot)
(load (concat (getenv "top_srcdir") "/editors/emacs/stowage-mode.el") nil t)
(require 'cl-lib)
(require 'xref)
(setq stowage-program (getenv "STOWAGE") inhibit-message t eglot-sync-connect 60 eglot-autoshutdown nil
      eglot-send-changes-idle-time 0.05 eglot-confirm-server-initiated-edits nil)

(defun test (name function)
  (let ((wrong (condition-case signal
                   (progn (funcall function) nil)
                 (error (format "%S" signal)))))
    (princ (format "%s - Emacs: %s\n" (if wrong "not ok" "ok") name))
    (when wrong
      (princ (format "# %s\n" (replace-regexp-in-string "\n" " " wrong))))))

(defun same (wanted found)
  (unless (equal wanted found)
    (error "expected %S, found %S" wanted found)))

(defun waited (what condition)
  (let ((end (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (error "waited in vain for %s" what))
      (accept-process-output nil 0.05)
      (eglot--signal-textDocument/didChange)    ; nothing is idle here
      (flymake-start))))

(defun open (file)
  (find-file file)
  (when (buffer-modified-p)
    (revert-buffer t t))
  (unless (eglot-managed-p)
    (let ((eglot-server-programs eglot-server-programs))
      (apply #'eglot (eglot--guess-contact))))
  (goto-char (point-min)))

(defun words ()
  (sort (mapcar (lambda (d)
                  (buffer-substring (flymake-diagnostic-beg d) (flymake-diagnostic-end d)))
                (flymake-diagnostics))
        #'string<))

(test "findings stand at their words, behind letters beyond ASCII"
      (lambda ()
        (open "broken.nn")
        (waited "findings" (lambda () (= (length (flymake-diagnostics)) 2)))
        (same '("dens" "nowhere") (words))))

(test "a fix is applied, and its finding is gone"
      (lambda ()
        (open "broken.nn")
        (waited "findings" (lambda () (= (length (flymake-diagnostics)) 2)))
        (search-forward "dens")
        (goto-char (match-beginning 0))
        (let ((last-nonmenu-event ?a)     ; not a mouse's, so that no menu pops up
              (choose (lambda (_ choices &rest _)
                        (or (cl-find-if (lambda (c) (string-match-p "dense" c))
                                        (mapcar (lambda (c) (if (consp c) (car c) c)) choices))
                            (error "no fix")))))
          (cl-letf (((symbol-function 'completing-read) choose))
            (eglot-code-actions (point) (+ (point) 4) nil t)))
        (unless (looking-at "dense(4)")
          (error "%s" (buffer-string)))
        (waited "one finding less" (lambda () (equal (words) '("nowhere"))))))

(test "a spec is formatted as stowage fmt does it"
      (lambda ()
        (open "loose.nn")
        (let ((text (buffer-string)) laid)
          (with-temp-buffer
            (insert text)
            (call-process-region nil nil stowage-program t t nil "fmt" "-")
            (setq laid (buffer-string)))
          (eglot-format-buffer)
          (same laid (buffer-string)))))

(test "a block is found in the file that defines it"
      (lambda ()
        (open "uses.nn")
        (search-forward "shared")
        (backward-char)
        (xref-find-definitions (thing-at-point 'symbol))
        (same "blocks.nn" (file-name-nondirectory buffer-file-name))
        (same 1 (line-number-at-pos))))

(test "an operator is completed"
      (lambda ()
        (open "fine.nn")
        (goto-char (point-max))
        (insert "# ≤\nnetwork o { input x : f32[4]\n  y = x -> den")
        (let* ((found (run-hook-with-args-until-success 'completion-at-point-functions))
               (all (all-completions (buffer-substring (nth 0 found) (nth 1 found)) (nth 2 found))))
          (unless (member "dense" (mapcar #'substring-no-properties all))
            (error "%S" all)))))

(test "the server ends when it is told to"
      (lambda ()
        (let ((server (eglot-current-server)))
          (eglot-shutdown server nil 30 nil)
          (waited "the end" (lambda () (not (process-live-p (jsonrpc--process server))))))))
