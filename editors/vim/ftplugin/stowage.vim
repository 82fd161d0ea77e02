" Settings of buffers that hold a spec of Stowage (.nn). Vim 8.1 and newer, Neovim.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
let s:save_cpo = &cpoptions
set cpoptions&vim

" the program's name or path; set it before the first spec is opened
if !exists('g:stowage_program')
  let g:stowage_program = 'stowage'
endif

setlocal comments=:# commentstring=#\ %s
setlocal formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=2 softtabstop=2 textwidth=100
setlocal suffixesadd=.nn
" gf and [i follow: use "blocks.nn"
setlocal include=^\\s*use\\s\\+\\ze\" define=^\\s*\\%(block\\\|network\\\|param\\)\\s\\+
let &l:formatprg = shellescape(g:stowage_program) . ' fmt -'
setlocal formatexpr=StowageFormatLines()
let &l:keywordprg = ':StowageExplain'

" Formats the buffer. What does not parse is left as it is, and the errors go to the quickfix list.
function! s:format() abort
  let l:before = getline(1, '$')
  let l:errors = tempname()
  let l:command = shellescape(g:stowage_program) . ' fmt --stdin-filename '
        \ . shellescape(empty(expand('%')) ? 'stdin.nn' : expand('%')) . ' - 2>' . shellescape(l:errors)
  let l:after = systemlist(l:command, l:before)
  if v:shell_error
    call s:show(readfile(l:errors))
  elseif l:after !=# l:before
    let l:view = winsaveview()
    if len(l:after) < len(l:before)
      silent execute (len(l:after) + 1) . ',$delete _'
    endif
    call setline(1, l:after)
    call winrestview(l:view)
  endif
  call delete(l:errors)
endfunction

function! s:show(lines) abort
  let l:said = filter(copy(a:lines), 'v:val =~# ''^\f\+:\d\+:\d\+: ''')
  if empty(l:said)
    echohl ErrorMsg | echomsg 'stowage: ' . join(a:lines, ' ') | echohl None
    return
  endif
  call setqflist([], ' ', {'title': 'stowage fmt', 'lines': l:said,
        \ 'efm': '%f:%l:%c: %trror: %m,%f:%l:%c: %tote: %m'})
  let l:window = win_getid()
  cwindow
  call win_gotoid(l:window)
endfunction

" For gq: a file as a whole, or comments by Vim itself. Some lines of code are no spec.
function! StowageFormatLines() abort
  if mode() =~# '[iR]'
    return 1
  elseif v:lnum == 1 && v:count >= line('$')
    call s:format()
    return 0
  elseif match(getline(v:lnum, v:lnum + v:count - 1), '^\s*[^ \t#]') < 0
    return 1
  endif
  echohl WarningMsg | echomsg 'stowage fmt lays out whole files: :StowageFormat' | echohl None
  return 0
endfunction

" What a rule or an operator means, in a window of its own.
function! s:explain(name) abort
  let l:text = systemlist(shellescape(g:stowage_program) . ' explain ' . shellescape(a:name))
  if v:shell_error
    echohl ErrorMsg | echomsg get(l:text, 0, 'stowage explain failed') | echohl None
    return
  endif
  new
  setlocal buftype=nofile bufhidden=wipe noswapfile
  call setline(1, l:text)
  setlocal nomodifiable
endfunction

command! -buffer -bar StowageFormat call s:format()
command! -buffer -bar -nargs=1 StowageExplain call s:explain(<q-args>)

" matchit's % goes from if to then to else
let b:match_ignorecase = 0
let b:match_words = '\<if\>:\<then\>:\<else\>'

let b:undo_ftplugin = 'setlocal comments< commentstring< formatoptions< expandtab< shiftwidth<'
      \ . ' softtabstop< textwidth< suffixesadd< include< define< formatprg< formatexpr< keywordprg<'
      \ . ' | silent! delcommand -buffer StowageFormat | silent! delcommand -buffer StowageExplain'
      \ . ' | unlet! b:match_ignorecase b:match_words'

let &cpoptions = s:save_cpo
unlet s:save_cpo
