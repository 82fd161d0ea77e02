;;; Indents $FILES anew, into folder $OUT.  -*- lexical-binding: t -*-
(load (concat (getenv "top_srcdir") "/editors/emacs/stowage-mode.el") nil t)
(dolist (file (split-string (getenv "FILES") "\n" t))
  (with-temp-buffer
    (insert-file-contents file)
    (stowage-mode)
    (let ((inhibit-message t))
      (indent-region (point-min) (point-max)))
    (write-region nil nil (concat (getenv "OUT") "/" (file-name-nondirectory file)) nil 'silent)))
