" ALE in Vim and `stowage lsp`, by the linter of editors/vim, in TAP to $REPORT. The folder is one that
" write_specs made; $ALE is where ALE is.
set nocompatible nomodeline noswapfile shortmess+=A hidden encoding=utf-8
let &runtimepath = $top_srcdir . '/editors/vim,' . $ALE . ',' . &runtimepath
let g:stowage_program = $STOWAGE
let g:ale_lint_delay = 0
let g:ale_fixers = {'stowage': [{buffer -> {'command': 'stowage fmt -'}}]}
let $PATH = fnamemodify($STOWAGE, ':h') . ':' . $PATH	" of the fixer
filetype plugin indent on
runtime plugin/ale.vim

let s:report = []

function! s:done(name) abort
  call add(s:report, (empty(v:errors) ? 'ok - ' : 'not ok - ') . 'ALE: ' . a:name)
  for l:error in v:errors
    call add(s:report, '# ' . substitute(l:error, '\n', ' ', 'g'))
  endfor
  let v:errors = []
endfunction

" Waits until HOLDS() is true.
function! s:waited(what, holds) abort
  let l:end = reltime()
  while !a:holds()
    if reltimefloat(reltime(l:end)) > 60
      throw 'waited in vain for ' . a:what . ': ' . execute('messages') . string(s:found())
    endif
    sleep 20m
  endwhile
endfunction

function! s:found() abort
  return ale#engine#GetLoclist(bufnr(''))
endfunction

function! s:open(name) abort
  execute 'edit!' a:name
  ALELint
endfunction

" What is shown, by the words under it
function! s:words() abort
  return sort(map(copy(s:found()),
        \ 'getline(v:val.lnum)[v:val.col - 1 : v:val.end_col - 1] . " " . v:val.type'))
endfunction

function! s:here() abort
  return filter(copy(s:found()), 'v:val.lnum == line(".")')
endfunction

try
  call s:open('broken.nn')
  call s:waited('findings', {-> len(s:found()) == 2})
  call assert_equal(['dens E', 'nowhere E'], s:words())
  call assert_equal(['name', 'name'], map(copy(s:found()), 'v:val.code'))
  call s:done('findings stand at their words, behind letters beyond ASCII')

  " behind the letters of a line, which ALE counts in bytes
  call cursor(search('nowhere'), 1)
  call search('nowhere', '', line('.'))
  call setline('.', substitute(getline('.'), 'nowhere', 'tt', ''))
  ALELint
  call s:waited('another finding', {-> s:words() ==# ['dens E', 'tt E']})
  call s:done('and when it is typed')

  call cursor(search('dens'), 1)
  call search('dens', '', line('.'))
  let s:asked = []
  function! ale#util#Input(message, value) abort
    call add(s:asked, a:message)
    return matchstr(a:message, '\d\+\ze) [^\n]*dense')
  endfunction
  ALECodeAction
  call s:waited('the action', {-> getline('.') =~# 'dense(4)'})
  call assert_equal(1, len(s:asked))
  ALELint	" nothing is typed here
  call s:waited('one finding less', {-> s:words() ==# ['tt E']})
  call s:done('a fix is applied, and its finding is gone')

  call setline(search('日本é'), '  loss mse(y, "日本é", dens(y, 4))')
  call cursor(search('日本é'), 1)
  call search('dens', '', line('.'))
  ALELint
  call s:waited('that finding', {-> s:words() ==# ['dens E']})
  ALECodeAction
  call s:waited('the action', {-> getline('.') =~# 'dense'})
  call assert_equal('  loss mse(y, "日本é", dense(y, 4))', getline('.'))
  call s:done('and one behind letters beyond ASCII replaces its word')

  call s:open('loose.nn')
  let s:laid = systemlist(shellescape($STOWAGE) . ' fmt -', getline(1, '$'))
  call assert_notequal(s:laid, getline(1, '$'))
  ALEFix
  call s:waited('the layout', {-> getline(1, '$') ==# s:laid})
  call s:done('a spec is laid out as stowage fmt does it')

  call s:open('uses.nn')
  call s:waited('the server', {-> !empty(filter(values(ale#lsp#GetConnections()), 'has_key(v:val.open_documents, bufnr(""))'))})
  call cursor(search('shared'), 1)
  call search('shared', '', line('.'))
  ALEGoToDefinition
  call s:waited('the block', {-> bufname('%') =~# 'blocks.nn$'})
  call assert_equal(1, line('.'))
  call s:done('a block is found in the file that defines it')

  call s:open('fine.nn')
  call append('$', ['# ≤', 'network o { input x : f32[4]', '  y = x -> den'])
  setlocal omnifunc=ale#completion#OmniFunc
  call cursor(line('$'), 1)
  " ALE does not wait for an answer while keys wait
  call feedkeys("A\<C-x>\<C-o>", 'xt')
  call assert_equal('  y = x -> dense', getline('$'))
  call s:done('an operator is completed')

  edit! fine.nn
  let s:roots = keys(ale#lsp#GetConnections())
  call assert_equal([$STOWAGE . ':' . getcwd()], s:roots)
  call s:done('one server serves the files of a project')

  ALEStopAllLSPs
  call s:waited('the end', {-> empty(ale#lsp#GetConnections())})
  call s:done('the server ends when it is told to')
catch
  call add(v:errors, v:throwpoint . ': ' . v:exception)
  call s:done('the script came to its end')
endtry
call writefile(s:report, $REPORT)
qall!
