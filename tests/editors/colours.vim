" Writes the syntax group of every column of $FILES to $COLOURS, in Vim and in Neovim.
set nocompatible nomodeline noswapfile shortmess+=A
let &runtimepath = $top_srcdir . '/editors/vim,' . &runtimepath
filetype plugin indent on
syntax on

let s:rows = []
for s:file in split($FILES, "\n")
  execute 'edit' fnameescape(s:file)
  for s:line in range(1, line('$'))
    let s:from = 1
    let s:end = col([s:line, '$'])
    while s:from < s:end
      let s:group = synIDattr(synID(s:line, s:from, 1), 'name')
      let s:to = s:from + 1
      while s:to < s:end && synIDattr(synID(s:line, s:to, 1), 'name') ==# s:group
        let s:to += 1
      endwhile
      call add(s:rows, join([s:file, s:line, s:from, s:to, s:group], "\t"))
      let s:from = s:to
    endwhile
  endfor
endfor
call writefile(s:rows, $COLOURS)
qall!
