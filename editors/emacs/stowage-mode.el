;;; stowage-mode.el --- Specs of neural networks  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A major mode for specs of Stowage (.nn) and its project files (.stowage): colours, indentation as
;; `stowage fmt' does it, formatting, findings by Flymake, `compile', and the language server by
;; Eglot.  See README.md beside this file.
;;
;; What a name is shows by its place, so operators, settings and types are listed nowhere.

;;; Code:

(require 'cl-lib)
(require 'flymake)
(require 'json)
(require 'subr-x)

(defgroup stowage nil
  "Specs of neural networks."
  :group 'languages
  :prefix "stowage-")

(defcustom stowage-program "stowage"
  "Name or path of the program."
  :type 'string)

(defcustom stowage-lint-arguments nil
  "More arguments of `stowage lint', such as (\"--target\" \"cuda\")."
  :type '(repeat string))

(defface stowage-argument '((t :inherit font-lock-variable-name-face :slant italic))
  "Names of arguments.")
(defface stowage-call '((t :inherit font-lock-function-name-face))
  "Operators and blocks that are called.")
(defface stowage-label '((t :inherit font-lock-constant-face :weight bold))
  "Labels of layers.")
(defface stowage-path '((t :inherit font-lock-constant-face))
  "Paths of parameters.")
(defface stowage-number '((t :inherit font-lock-constant-face))
  "Numbers, sizes and durations.")
(defface stowage-setting '((t :inherit font-lock-builtin-face))
  "Names of settings.")
(defface stowage-arrow '((t :inherit font-lock-keyword-face))
  "Arrows of pipelines.")

;;; Tokens

(defconst stowage--items
  '("use" "param" "block" "network" "train" "validate" "device" "lint")
  "Keywords that begin an item.")
(defconst stowage--statements '("input" "target" "loss" "metric")
  "Keywords that begin a statement.")
(defconst stowage--words '("if" "then" "else" "and" "or" "not")
  "Keywords inside of values.")
(defconst stowage--booleans '("true" "false")
  "Keywords that are values.")
(defconst stowage--units '("B" "KiB" "MiB" "GiB" "TiB" "kB" "MB" "GB" "TB")
  "Units of sizes.")
(defconst stowage--durations '("epochs" "steps")
  "Units of durations.")

(defconst stowage--number
  "[0-9][0-9_]*\\(?:\\.[0-9][0-9_]*\\)?\\(?:[eE][+-]?[0-9]+\\)?")

(defconst stowage--token
  (concat "\\(?1:[A-Za-z_][A-Za-z0-9_]*\\|\\*\\)\\(?2:\\(?:\\.\\(?:[A-Za-z0-9_]+\\|\\*\\)\\)+\\)?"
          "\\|\\(?3:0[xX][0-9a-fA-F][0-9a-fA-F_]*\\|" stowage--number
          "\\(?:[ \t]*" (regexp-opt stowage--units) "\\_>\\)?\\)"
          "\\|\\(?4:->\\)\\|[=!<>]=\\|.")
  "A token: a word or star, with the rest of a path; a number; an arrow; a sign.")

(defconst stowage--item-line
  (concat "^[ \t]*" (regexp-opt stowage--items) "\\_>\\(?:[^=\n]\\|==\\|$\\)")
  "A line that begins an item; an argument's name is followed by a sign.")

(cl-defstruct (stowage--token (:constructor stowage--make-token) (:copier nil))
  text beg end kind)

(defun stowage--next-token (limit)
  "Return the token after point and before LIMIT, or nil; move behind it.
Its kind is word, path, number, arrow, string or sign."
  (save-restriction                     ; comments go on to where code is, however far
    (narrow-to-region (point-min) (max limit (point)))
    (forward-comment (buffer-size)))
  (let ((beg (point)) (case-fold-search nil))
    (cond
     ((>= beg limit) nil)
     ((eq (char-after) ?\")
      (forward-char)
      (skip-chars-forward "^\"\n")
      (when (eq (char-after) ?\")
        (forward-char))
      (stowage--make-token :text "\"" :beg beg :end (point) :kind 'string))
     ((looking-at stowage--token)
      (goto-char (match-end 0))
      (stowage--make-token
       :text (match-string-no-properties 0) :beg beg :end (point)
       :kind (cond ((match-beginning 2) 'path)
                   ((match-beginning 3) 'number)
                   ((match-beginning 4) 'arrow)
                   ((equal (match-string 1) "*") 'sign)
                   ((match-beginning 1) 'word)
                   (t 'sign)))))))

(defun stowage--item-start ()
  "The beginning of the item that point is in, or of the buffer."
  (save-excursion
    (let ((case-fold-search nil))
      (end-of-line)
      (if (re-search-backward stowage--item-line nil t)
          (line-beginning-position)
        (point-min)))))

(defun stowage--begins-line (token)
  "Is TOKEN the first of its line?"
  (save-excursion
    (goto-char (stowage--token-beg token))
    (skip-chars-backward " \t")
    (bolp)))

(defun stowage--after (token)
  "The text of the token after TOKEN, or an empty one."
  (save-excursion
    (goto-char (stowage--token-end token))
    (let ((next (stowage--next-token (point-max))))
      (if next (stowage--token-text next) ""))))

;;; What a token is

(cl-defstruct (stowage--reader (:copier nil))
  (where '(file))                  ; innermost first: file, body, settings, brackets
  head                             ; the item's keyword, until its brace
  declares                         ; names or type, after input and target
  (complete t)                     ; there is a whole value before
  last)                            ; what the token before was

(defun stowage--classify (reader token)
  "What TOKEN is, a symbol, after what READER has seen; READER sees it too."
  (let* ((text (stowage--token-text token))
         (kind (stowage--token-kind token))
         (where (car (stowage--reader-where reader)))
         (last (stowage--reader-last reader))
         (complete (stowage--reader-complete reader))
         (declares (stowage--reader-declares reader))
         (value nil)
         (next (if (eq kind 'word) (stowage--after token) ""))
         (argument (and (eq where 'brackets) (equal next "=")))
         (class kind))
    (cond
     ((and (eq kind 'word) (member text stowage--items) (not argument)
           (or (eq where 'file) (stowage--begins-line token)))
      (setq class 'item declares nil)
      (setf (stowage--reader-where reader) '(file)
            (stowage--reader-head reader) text))
     ((and (eq kind 'word) (member text stowage--statements) (not argument))
      (setq class (if (and (eq where 'settings) complete) 'key 'statement)
            declares (and (member text '("input" "target")) 'names)))
     ((and (eq kind 'word) (member text stowage--words))
      (setq class 'keyword))
     ((and (eq kind 'word) (member text stowage--booleans))
      (setq class 'boolean value t))
     ((eq kind 'word)
      (setq value t
            class
            (cond
             ((and (eq where 'file) (eq last 'item))
              (pcase (stowage--reader-head reader)
                ("param" 'definition) ("block" 'block) (_ 'title)))
             (argument 'argument)
             ((and (eq where 'brackets) (eq last 'number) (member text stowage--durations)) 'unit)
             ((and (eq where 'body) (equal next "=")) (setq declares nil) 'definition)
             ((and (eq where 'body) (eq declares 'names)) 'declaration)
             ((and (eq where 'body) (eq declares 'type) (eq last 'colon))
              (unless (equal next "[")
                (setq declares nil))
              'type)
             ((and (eq where 'settings) complete) (setq value nil) 'key)
             ((equal next "(") 'call)
             ((equal next ":") 'label)
             ((eq last 'arrow) 'call)
             ((and (eq where 'settings) (memq last '(key comma))) 'value)
             ((member text '("in" "index")) 'special)
             (t 'name))))
     ((member text '("(" "["))
      (push 'brackets (stowage--reader-where reader)))
     ((equal text "{")
      (push (if (member (stowage--reader-head reader) '("block" "network")) 'body 'settings)
            (stowage--reader-where reader))
      (setq declares nil value t))
     ((member text '(")" "]" "}"))
      (when (cdr (stowage--reader-where reader))
        (pop (stowage--reader-where reader)))
      (when (and (eq declares 'type) (eq (car (stowage--reader-where reader)) 'body))
        (setq declares nil))
      (setq value t))
     ((equal text ":")
      (when (and (eq declares 'names) (eq where 'body))
        (setq declares 'type))
      (setq class 'colon))
     ((equal text ",")
      (setq class 'comma))
     ((and (equal text "*") (eq where 'settings) (memq last '(key comma)))
      (setq class 'value value t))
     ((eq kind 'arrow)
      (setq declares nil))
     ((not (eq kind 'sign))
      (setq value t)))
    (setf (stowage--reader-declares reader) declares
          (stowage--reader-complete reader) value
          (stowage--reader-last reader) class)
    class))

;;; Colours

(defconst stowage--faces
  '((item . font-lock-keyword-face) (statement . font-lock-keyword-face)
    (keyword . font-lock-keyword-face) (boolean . font-lock-constant-face)
    (special . font-lock-builtin-face) (definition . font-lock-variable-name-face)
    (declaration . font-lock-variable-name-face) (type . font-lock-type-face)
    (block . font-lock-function-name-face) (title . font-lock-type-face)
    (argument . stowage-argument) (key . stowage-setting) (value . font-lock-constant-face)
    (call . stowage-call) (label . stowage-label) (path . stowage-path)
    (number . stowage-number) (unit . stowage-number) (arrow . stowage-arrow))
  "The face of each class of tokens that has one.")

(defun stowage--colour (limit)
  "Put faces on the tokens between point and LIMIT; always nil.
Font Lock begins where an item does: see `stowage--extend-region'."
  (let ((reader (make-stowage--reader)) token)
    (while (setq token (stowage--next-token limit))
      (let ((face (cdr (assq (stowage--classify reader token) stowage--faces))))
        (when face
          (put-text-property (stowage--token-beg token) (stowage--token-end token)
                             'face face)))))
  nil)

(defvar font-lock-beg)

(defun stowage--extend-region ()
  "Have Font Lock begin where the item does."
  (let ((start (save-excursion
                 (goto-char font-lock-beg)
                 (stowage--item-start))))
    (when (< start font-lock-beg)
      (setq font-lock-beg start))))

(defvar stowage-font-lock-keywords
  '((stowage--colour)
    ("#[ \t]*\\(stowage:[ \t]*allow\\(?:-file\\)?([^)#\n]*)\\)" 1 font-lock-preprocessor-face t))
  "What Font Lock does in `stowage-mode'.")

;;; Indentation

(defconst stowage--farthest 64
  "Column beyond which lines that go on begin again at the left.")
(defconst stowage--farthest-arrow 40
  "The same for arrows that begin lines.")

(cl-defstruct (stowage--level (:copier nil))
  ;; a bracket, a brace or the file, and the value that is being read in it
  kind inner value arm arrow ifs choice list)

(cl-defstruct (stowage--layout (:copier nil))
  (reader (make-stowage--reader))
  (levels (list (make-stowage--level :kind 'file :inner 0)))
  (statement 0)                    ; the column of its first word
  (last ""))                       ; the text of the token before

(defun stowage--bounded (layout column)
  "COLUMN, or if that is too far to the right, one near LAYOUT's statement."
  (if (> column stowage--farthest) (+ (stowage--layout-statement layout) 4) column))

(defun stowage--begin-value (level)
  "A value begins in LEVEL."
  (setf (stowage--level-value level) nil
        (stowage--level-arm level) nil
        (stowage--level-arrow level) nil))

(defun stowage--begin-statement (layout column)
  "A statement begins in LAYOUT at COLUMN."
  (let ((level (car (stowage--layout-levels layout))))
    (stowage--begin-value level)
    (setf (stowage--level-ifs level) nil
          (stowage--level-choice level) nil
          (stowage--level-list level) nil
          (stowage--layout-statement layout) column)))

(defun stowage--arrow-column (layout head)
  "Where arrows begin lines in LAYOUT: at HEAD, the column of the first.
That is nil if the first begins a line too."
  (let ((level (car (stowage--layout-levels layout))))
    (if (or (eq (stowage--level-kind level) 'brackets) (stowage--level-choice level))
        (stowage--bounded layout (or head (+ (or (stowage--level-value level) 0) 2)))
      (if (and head (<= head stowage--farthest-arrow))
          head
        (+ (stowage--layout-statement layout) 2)))))

(defun stowage--operator-p (text)
  "Can TEXT be an operator between two values?"
  (member text '("and" "or" "==" "!=" "<=" ">=" "<" ">" "+" "-" "*" "/" "%")))

(defun stowage--read-token (layout token class)
  "Bring LAYOUT up to date with TOKEN, which is a CLASS."
  (let* ((text (stowage--token-text token))
         (first (stowage--begins-line token))
         (column (save-excursion
                   (goto-char (stowage--token-beg token))
                   (current-column)))
         (level (car (stowage--layout-levels layout))))
    (cond
     ((memq class '(item statement key definition))
      (when (eq class 'item)
        (setf (stowage--layout-levels layout) (last (stowage--layout-levels layout))))
      (unless (equal (stowage--layout-last layout) "param")
        (stowage--begin-statement layout column)))
     ((eq class 'arrow)
      (cond (first (setf (stowage--level-arrow level) column))
            ((not (stowage--level-arrow level))
             (setf (stowage--level-arrow level) (stowage--arrow-column layout column))))
      (setf (stowage--level-arm level) nil))
     ((equal text "if")
      (push (stowage--bounded layout column) (stowage--level-ifs level))
      (setf (stowage--level-choice level) t)
      (stowage--begin-value level))
     ((member text '("then" "else"))
      (when (equal text "else")
        (pop (stowage--level-ifs level)))
      (stowage--begin-value level))
     ((equal text "{")
      (push (make-stowage--level :kind 'body :inner 2) (stowage--layout-levels layout))
      (setf (stowage--layout-statement layout) 2))
     ((member text '(")" "]" "}"))
      (when (cdr (stowage--layout-levels layout))
        (pop (stowage--layout-levels layout)))
      (when (equal text "}")
        (stowage--begin-statement layout 0)))
     ((member text '("," "="))
      (stowage--begin-value level))
     (t
      (unless (stowage--level-value level)
        (setf (stowage--level-value level) column))
      (unless (or (stowage--level-arm level) (stowage--operator-p text))
        (setf (stowage--level-arm level) column))
      (unless (stowage--level-list level)
        (setf (stowage--level-list level) column))
      (when (member text '("(" "["))
        (push (make-stowage--level :kind 'brackets :inner (stowage--bounded layout (1+ column)))
              (stowage--layout-levels layout)))))
    (setf (stowage--layout-last layout) text)))

(defun stowage--read (layout limit)
  "Bring LAYOUT up to date with the tokens between point and LIMIT."
  (let (token)
    (while (setq token (stowage--next-token limit))
      (stowage--read-token layout token
                           (stowage--classify (stowage--layout-reader layout) token)))))

(defun stowage--layout-before (limit)
  "The layout of the item up to LIMIT."
  (let ((layout (make-stowage--layout)))
    (save-excursion
      (goto-char limit)
      (forward-line -1)
      (goto-char (stowage--item-start))
      (stowage--read layout limit))
    layout))

(defun stowage--column (layout &optional above code)
  "Where the line at point should begin, after what LAYOUT has seen.
ABOVE is as `stowage--line-comment' has it.  A comment is followed by code at
the marker CODE, if that is given."
  (save-excursion
    (back-to-indentation)
    (let* ((now (current-column))
           (level (car (stowage--layout-levels layout)))
           (reader (copy-sequence (stowage--layout-reader layout)))
           (body (if (eq (stowage--level-kind level) 'body) 2 0))
           (comment (eq (char-after) ?#))
           (below (and comment (stowage--line-comment now above)))
           (statement (stowage--layout-statement layout))
           (last (stowage--layout-last layout))
           (complete (stowage--reader-complete reader))
           (token (and (or comment (not (eolp)))
                       (progn (when (and comment code)
                                (goto-char code))
                              (stowage--next-token (point-max)))))
           (text (if token (stowage--token-text token) ""))
           (class (and token (stowage--classify reader token)))
           (arm (stowage--level-arm level)))
      (cond
       (below now)
       ((equal text "}") (if comment 2 0))
       ((eq class 'item) 0)
       ((memq class '(statement key definition)) body)
       ((eq class 'arrow)
        (cond ((null (stowage--level-arrow level)) (stowage--arrow-column layout nil))
              ;; lines that the author began left of the value stay there
              ((and (eq (stowage--level-kind level) 'body) (not (stowage--level-choice level))
                    (> (or (stowage--level-value level) 0) now) (> now statement))
               (+ statement 2))
              (t (stowage--level-arrow level))))
       ((and (member text '("then" "else")) (stowage--level-ifs level))
        (car (stowage--level-ifs level)))
       ((equal last "->") (stowage--bounded layout (+ (stowage--level-arrow level) 3)))
       ((eq (stowage--level-kind level) 'brackets)
        (cond ((member text '(")" "]")) (1- (stowage--level-inner level)))
              ((and arm (stowage--operator-p text)) (stowage--bounded layout arm))
              ((and arm (not (equal last ","))) arm)
              (t (stowage--level-inner level))))
       ((and arm (stowage--operator-p text)) (stowage--bounded layout arm))
       ((and (equal last ",") (stowage--level-list level))
        (stowage--bounded layout (stowage--level-list level)))
       ((equal last "=") (+ statement 4))
       ((or complete (member last '("" "{"))) body)
       (t (or arm (+ statement 4)))))))

(defun stowage--line-comment (column &optional above)
  "COLUMN, if the end of a line above has a comment there, or nil.
ABOVE is known of a line of comment right above: its column, and what this
function returns of that column there."
  (if above
      (and (= column (car above)) (cdr above))
    (stowage--line-comment-above column)))

(defun stowage--line-comment-above (column)
  "The same as `stowage--line-comment' of COLUMN, found in the text."
  (save-excursion
    (let (found done)
      (while (and (not done) (zerop (forward-line -1)))
        (let ((start (save-excursion
                       (end-of-line)
                       (let ((state (syntax-ppss)))
                         (and (nth 4 state) (nth 8 state))))))
          (setq done t)
          (when start
            (goto-char start)
            (when (= (current-column) column)
              (skip-chars-backward " \t")
              (if (bolp)
                  (setq done (bobp))
                (setq found column)))
            (beginning-of-line))))
      found)))

(defun stowage-indent-line ()
  "Indent the line as `stowage fmt' does."
  (interactive)
  (let ((column (stowage--column (stowage--layout-before (line-beginning-position)))))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion
        (indent-line-to column)))))

(defun stowage-indent-region (beg end)
  "Indent the lines from BEG to END, looking at each once."
  (save-excursion
    (goto-char beg)
    (beginning-of-line)
    (let ((layout (stowage--layout-before (point))) (end (copy-marker end)) (code (make-marker)) above)
      (while (< (point) end)
        (let ((comment (looking-at "[ \t]*#")))
          (when (and comment (or (not (marker-position code)) (< code (point))))
            (save-excursion
              (forward-comment (buffer-size))
              (set-marker code (point))))
          (unless (looking-at "[ \t]*$")
            (indent-line-to (stowage--column layout above code)))
          (setq above (and comment
                           (cons (current-indentation)
                                 (stowage--line-comment (current-indentation) above)))))
        (beginning-of-line)
        (let ((next (line-beginning-position 2)))
          (stowage--read layout (line-end-position))
          (goto-char next)))
      (set-marker code nil)
      (set-marker end nil))))

;;; The program

(defun stowage--file-name ()
  "What to call the buffer's text in messages."
  (or buffer-file-name "stdin.nn"))

(defun stowage-format-buffer ()
  "Lay the buffer out by `stowage fmt'.  What does not parse is left as it is."
  (interactive)
  (let ((text (current-buffer)) (errors (make-temp-file "stowage")) (name (stowage--file-name)))
    (unwind-protect
        (with-temp-buffer
          (let* ((new (current-buffer))
                 (coding-system-for-read 'utf-8) (coding-system-for-write 'utf-8)
                 (status (with-current-buffer text
                           (call-process-region nil nil stowage-program nil (list new errors) nil
                                                "fmt" "--stdin-filename" name "-"))))
            (if (eql status 0)
                (with-current-buffer text
                  (replace-buffer-contents new))
              (erase-buffer)
              (insert-file-contents errors)
              (user-error "%s" (buffer-substring (point-min) (line-end-position))))))
      (delete-file errors))))

(defvar stowage-names nil
  "Names that `stowage-explain' was asked for.")

(defun stowage-explain (name)
  "Show what the rule or operator NAME means."
  (interactive (list (let ((word (thing-at-point 'symbol t)))
                       (read-string (format-prompt "Rule or operator" word) nil
                                    'stowage-names word))))
  (with-help-window "*stowage explain*"
    (with-current-buffer standard-output
      (call-process stowage-program nil t nil "explain" name))))

;;; Flymake

(defvar-local stowage--lint-process nil
  "The check of this buffer that is under way.")

(defun stowage--place (line column)
  "The position of character COLUMN of LINE, both from 1.
That of the text's end if there is no such."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line (max 0 (1- line)))
      (min (+ (point) (max 0 (1- column))) (point-max)))))

(defun stowage--diagnostic (source name finding)
  "A diagnostic of FINDING in buffer SOURCE, whose text was called NAME."
  (let-alist finding
    (let* ((here (and (equal .path name) (> .line 0)))
           (beg (if here (stowage--place .line .column_chars) (point-min)))
           (end (if here (stowage--place .end_line .end_column_chars) (line-end-position)))
           (help (delq nil (mapcar (lambda (remark)
                                     (let-alist remark
                                       (and (equal .kind "help") (concat "\nhelp: " .text))))
                                   .remarks))))
      (when (<= end beg)
        (setq end (min (1+ beg) (point-max))
              beg (max (point-min) (1- end))))
      (flymake-make-diagnostic
       source beg end
       (pcase .severity ("error" :error) ("warning" :warning) (_ :note))
       (concat (unless here (format "%s:%s: " .path .line)) .message
               (format " [%s]" .rule) (string-join help))))))

(defun stowage--findings (source name)
  "Read what `stowage lint' said of SOURCE, called NAME, from this buffer."
  (goto-char (point-min))
  (let ((json-object-type 'alist) (json-array-type 'list) (json-false nil) (found nil))
    (while (looking-at "{")
      (let ((finding (json-read)))
        (push (with-current-buffer source (stowage--diagnostic source name finding)) found))
      (skip-chars-forward "\n"))
    (nreverse found)))

(defun stowage-flymake (report &rest _)
  "Tell REPORT, a function of Flymake, the findings of `stowage lint'."
  (unless (executable-find stowage-program)
    (error "There is no %s" stowage-program))
  (when (process-live-p stowage--lint-process)
    (kill-process stowage--lint-process))
  (let ((source (current-buffer)) (name (stowage--file-name)) (coding-system-for-write 'utf-8))
    (save-restriction
      (widen)
      (setq stowage--lint-process
            (make-process
             :name "stowage-lint" :noquery t :connection-type 'pipe :coding 'utf-8
             :buffer (generate-new-buffer " *stowage-lint*")
             :command `(,stowage-program "lint" "--format" "jsonl" "--exit-zero"
                                         ,@stowage-lint-arguments "--stdin-filename" ,name "-")
             :sentinel
             (lambda (process _)
               (unless (process-live-p process)
                 (unwind-protect
                     (when (and (buffer-live-p source)
                                (eq process (buffer-local-value 'stowage--lint-process source)))
                       (with-current-buffer (process-buffer process)
                         (if (eql (process-exit-status process) 0)
                             (funcall report (stowage--findings source name))
                           (funcall report :panic :explanation (buffer-string)))))
                   (kill-buffer (process-buffer process)))))))
      (process-send-region stowage--lint-process (point-min) (point-max))
      (process-send-eof stowage--lint-process))))

;;; The mode

(defvar stowage-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "." table)
    (modify-syntax-entry ?\' "." table)
    (modify-syntax-entry ?_ "_" table)
    (dolist (sign '(?+ ?- ?* ?/ ?% ?< ?> ?= ?! ?: ?, ?.))
      (modify-syntax-entry sign "." table))
    table)
  "Syntax table of `stowage-mode'.")

(defun stowage--close-strings (beg end)
  "End strings between BEG and END where their lines do."
  (goto-char beg)
  (while (re-search-forward "\"[^\"\n]*\\(\n\\)" end t)
    (let ((state (save-excursion (syntax-ppss (match-beginning 0)))))
      (unless (or (nth 3 state) (nth 4 state))
        (put-text-property (match-beginning 0) (1+ (match-beginning 0))
                           'syntax-table (string-to-syntax "."))))))

(defvar stowage-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-f") #'stowage-format-buffer)
    (define-key map (kbd "C-c C-d") #'stowage-explain)
    map)
  "Keys of `stowage-mode'.")

(defvar stowage-imenu-generic-expression
  '(("Networks" "^[ \t]*network[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1)
    ("Blocks" "^[ \t]*block[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1)
    ("Parameters" "^[ \t]*param[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1)
    ("Settings" "^[ \t]*\\(\\(?:train\\|validate\\|device\\|lint\\)\\>[^{\n]*?\\)[ \t]*{" 1))
  "What `imenu' lists in `stowage-mode'.")

;;;###autoload
(define-derived-mode stowage-mode prog-mode "Stowage"
  "Major mode for specs of neural networks."
  (setq-local comment-start "# " comment-end "" comment-start-skip "#+[ \t]*")
  (setq-local indent-line-function #'stowage-indent-line
              indent-region-function #'stowage-indent-region
              indent-tabs-mode nil fill-column 100)
  (setq-local electric-indent-chars (append "})]>" electric-indent-chars))
  (setq-local font-lock-defaults '(stowage-font-lock-keywords))
  (add-hook 'font-lock-extend-region-functions #'stowage--extend-region nil t)
  (setq-local syntax-propertize-function #'stowage--close-strings)
  (setq-local imenu-generic-expression stowage-imenu-generic-expression)
  (setq-local beginning-of-defun-function #'stowage--beginning-of-defun)
  (setq-local end-of-defun-function #'stowage--end-of-defun)
  ;; `compile' knows the form of the findings
  (setq-local compile-command
              (mapconcat #'shell-quote-argument
                         (list stowage-program "lint" (file-name-nondirectory (stowage--file-name)))
                         " "))
  (add-hook 'flymake-diagnostic-functions #'stowage-flymake nil t))

(defun stowage--beginning-of-defun (&optional count)
  "Move back COUNT items."
  (let ((case-fold-search nil))
    (re-search-backward stowage--item-line nil 'move (or count 1))))

(defun stowage--end-of-defun ()
  "Move to the end of the item that begins at point."
  (let ((case-fold-search nil))
    (end-of-line)
    (if (re-search-forward stowage--item-line nil 'move)
        (beginning-of-line))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.nn\\'" . stowage-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("/\\.stowage\\'" . stowage-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `(stowage-mode . ,(lambda (&rest _) (list stowage-program "lsp")))))

(provide 'stowage-mode)
;;; stowage-mode.el ends here
