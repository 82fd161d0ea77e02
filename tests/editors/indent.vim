" Indents $FILES anew, into folder $OUT.
set nocompatible nomodeline noswapfile shortmess+=A
let &runtimepath = $top_srcdir . '/editors/vim,' . &runtimepath
filetype plugin indent on
for s:file in split($FILES, "\n")
  execute 'edit!' fnameescape(s:file)
  silent normal! gg=G
  silent execute 'write!' fnameescape($OUT . '/' . fnamemodify(s:file, ':t'))
endfor
qall!
