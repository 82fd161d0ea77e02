" Indents specs of Stowage as `stowage fmt` does: statements by two, arrows below the first arrow (or two
" to the right of the statement, where the author began lines there), then and else below their if,
" lists behind their bracket.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1
setlocal indentexpr=StowageIndent(v:lnum)
setlocal indentkeys=!^F,o,O,0},0),0],0-,0=->,0=then,0=else
setlocal nosmartindent nocindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< smartindent< cindent<'

if exists('*StowageIndent')
  finish
endif
let s:save_cpo = &cpoptions
set cpoptions&vim

" the columns of stowage fmt: beyond them what goes on begins again at the left
let s:farthest = 64
let s:farthest_arrow = 40

let s:items = '\%(use\|param\|block\|network\|train\|validate\|device\|lint\)'
let s:token = '\C"[^"]*"\?\|->\|[=!<>]=\|[(){}\[\],:=<>+/%-]\|\*\?\.\?\w[A-Za-z0-9_.*]*\|\*'
" binary operators begin lines; unary - does so too rarely to tell
let s:operator = '^\%(and\|or\|[=!<>]=\|[-+*/%^<>]\)$'

" What is open in a bracket, a brace, or the file: where its value, the arm of the pipeline and its
" first arrow are, and the ifs that are not answered.
function! s:level(kind, inner) abort
  return {'kind': a:kind, 'inner': a:inner, 'value': -1, 'arm': -1, 'arrow': -1, 'ifs': [], 'choice': 0}
endfunction

function! s:begin_value(level) abort
  let a:level.value = -1
  let a:level.arm = -1
  let a:level.arrow = -1
endfunction

function! s:begin_statement(state, column) abort
  let l:top = a:state.levels[-1]
  call s:begin_value(l:top)
  let l:top.ifs = []
  let l:top.choice = 0
  let l:top.list = -1
  let a:state.statement = a:column
endfunction

function! s:bounded(state, column) abort
  return a:column > s:farthest ? a:state.statement + 4 : a:column
endfunction

function! s:tokens(lnum) abort
  let l:line = getline(a:lnum)
  let l:found = []
  let l:at = 0
  while 1
    let [l:text, l:from, l:to] = matchstrpos(l:line, '#.*\|' . s:token, l:at)
    if l:from < 0
      return l:found
    endif
    call add(l:found, [l:text, strdisplaywidth(strpart(l:line, 0, l:from))])
    let l:at = l:to
  endwhile
endfunction

" Is the value before this point whole, so that a name begins something new?
function! s:whole(last) abort
  return a:last =~# '^\%(\w.*\|".*\|\*\..*\|[])}]\|\)$'
        \ && a:last !~# '^\%(if\|then\|else\|and\|or\|not\|input\|target\|loss\|metric\)$'
endfunction

" Does the token at I of a line begin a statement, a setting or an item?
function! s:begins(state, tokens, i) abort
  let l:text = a:tokens[a:i][0]
  let l:next = get(a:tokens, a:i + 1, [''])[0]
  let l:kind = a:state.levels[-1].kind
  if a:i == 0 && l:text =~# '^' . s:items . '$' && l:next !=# '='
    return 1
  endif
  if l:kind =~# '[[(]' || l:text !~# '^\h\w*$'
    return 0
  endif
  if l:kind ==# 'settings'
    return a:state.last ==# '{' || (a:i == 0 && s:whole(a:state.last))
  endif
  return l:text =~# '^\%(input\|target\|loss\|metric\)$' || (l:next ==# '=' && a:state.last !=# 'param')
endfunction

" Takes a line's tokens into account.
function! s:read(state, tokens) abort
  let l:state = a:state
  for l:i in range(len(a:tokens))
    let [l:text, l:column] = a:tokens[l:i]
    if l:text[0] ==# '#'
      return
    endif
    if s:begins(l:state, a:tokens, l:i)
      if l:text =~# '^' . s:items . '$'
        let l:state.levels = l:state.levels[:0]
        let l:state.head = l:text
      endif
      call s:begin_statement(l:state, l:column)
      let l:state.last = l:text
      let l:state.began = 1
      continue
    endif
    let l:top = l:state.levels[-1]
    if l:text ==# '->'
      if l:top.arrow < 0
        let l:top.arrow = l:i == 0 ? s:arrow_column(l:state, -1) : l:column
        if l:i > 0
          let l:top.arrow = s:arrow_column(l:state, l:column)
        endif
      endif
      if l:i == 0
        let l:top.arrow = l:column
      endif
      let l:top.arm = -1
    elseif l:text ==# 'if'
      call add(l:top.ifs, s:bounded(l:state, l:column))
      let l:top.choice = 1
      call s:begin_value(l:top)
    elseif l:text ==# 'then' || l:text ==# 'else'
      if l:text ==# 'else' && len(l:top.ifs) > 0
        call remove(l:top.ifs, -1)
      endif
      call s:begin_value(l:top)
    elseif l:text =~# '^[[(]$'
      if l:top.value < 0
        let l:top.value = l:column
      endif
      if l:top.arm < 0
        let l:top.arm = l:column
      endif
      if get(l:top, 'list', -1) < 0
        let l:top.list = l:column
      endif
      call add(l:state.levels, s:level(l:text, s:bounded(l:state, l:column + 1)))
    elseif l:text ==# '{'
      call add(l:state.levels, s:level(l:state.head =~# '^\%(block\|network\)$' ? 'body' : 'settings', 2))
      let l:state.statement = 2
    elseif l:text =~# '^[])}]$'
      if len(l:state.levels) > 1
        call remove(l:state.levels, -1)
      endif
      if l:text ==# '}'
        let l:state.head = ''
        call s:begin_statement(l:state, 0)
      endif
    elseif l:text ==# ',' || l:text ==# '='
      call s:begin_value(l:top)
    else
      if l:top.value < 0
        let l:top.value = l:column
      endif
      if l:top.arm < 0 && l:text !~# s:operator
        let l:top.arm = l:column
      endif
      if get(l:top, 'list', -1) < 0
        let l:top.list = l:column
      endif
    endif
    " a lone star is a setting's value
    let l:star = l:text ==# '*' && l:top.kind ==# 'settings' && (l:state.began || l:state.last ==# ',')
    let l:state.last = l:star ? '*.' : l:text
    let l:state.began = 0
  endfor
endfunction

" Where arrows begin lines: below the first one, at HEAD; HEAD is -1 if that begins a line too.
function! s:arrow_column(state, head) abort
  let l:top = a:state.levels[-1]
  if l:top.kind =~# '[[(]' || l:top.choice
    return s:bounded(a:state, a:head < 0 ? l:top.value + 2 : a:head)
  endif
  return a:head < 0 || a:head > s:farthest_arrow ? a:state.statement + 2 : a:head
endfunction

" The column of a line whose first tokens are TOKENS, after what has been read.
function! s:column(state, tokens, now) abort
  let l:text = get(a:tokens, 0, [''])[0]
  let l:top = a:state.levels[-1]
  let l:body = l:top.kind ==# 'body' || l:top.kind ==# 'settings' ? 2 : 0
  if l:text ==# '}'
    return 0
  elseif l:text !=# '' && s:begins(a:state, a:tokens, 0)
    return l:text =~# '^' . s:items . '$' ? 0 : l:body
  elseif l:text ==# '->'
    if l:top.arrow < 0
      return s:arrow_column(a:state, -1)
    endif
    " lines that the author began left of the value stay there
    return l:top.kind ==# 'body' && !l:top.choice && l:top.value > a:now && a:now > a:state.statement
          \ ? a:state.statement + 2 : l:top.arrow
  elseif (l:text ==# 'then' || l:text ==# 'else') && len(l:top.ifs) > 0
    return l:top.ifs[-1]
  elseif a:state.last ==# '->'
    return s:bounded(a:state, l:top.arrow + 3)
  elseif l:top.kind =~# '[[(]'
    if l:text =~# '^[])]$'
      return l:top.inner - 1
    elseif l:text =~# s:operator && l:top.arm >= 0
      return s:bounded(a:state, l:top.arm)
    endif
    return l:top.arm >= 0 && a:state.last !=# ',' ? l:top.arm : l:top.inner
  elseif l:text =~# s:operator && l:top.arm >= 0
    return s:bounded(a:state, l:top.arm)
  elseif a:state.last ==# ',' && get(l:top, 'list', -1) >= 0
    return s:bounded(a:state, l:top.list)
  elseif a:state.last ==# '='
    return a:state.statement + 4
  elseif s:whole(a:state.last) || a:state.last ==# '{'
    return l:body
  elseif l:top.arm >= 0
    return l:top.arm
  endif
  return a:state.statement + 4
endfunction

let s:begins_item = '^\s*' . s:items . '\>\s*=\@!'

" The line from which on tokens are read: the item that LNUM is in.
function! s:item(lnum) abort
  call cursor(a:lnum, 1)
  return max([search(s:begins_item, 'bnW'), 1])
endfunction

" What was read last, and what it said: where it still says so, reading goes on from there.
let s:known = {'buffer': -1, 'from': 0, 'lines': [], 'asked': {}, 'code': [0, []]}

function! s:forget(from) abort
  let s:known = {'buffer': bufnr('%'), 'from': a:from, 'lines': [], 'comment': -1, 'asked': {}, 'code': [0, []],
        \ 'state': {'levels': [s:level('file', 0)], 'last': '', 'head': '', 'statement': 0, 'began': 0}}
endfunction

" How many lines from LNUM on match PATTERN.
function! s:count(lnum, pattern) abort
  let l:at = a:lnum
  while l:at <= line('$') && getline(l:at) =~# a:pattern
    let l:at += 1
  endwhile
  return l:at - a:lnum
endfunction

" Is the text above LNUM as it was when it was asked for a line before? Comparing all of it for each of many
" lines would take a time that grows with their square; but where nothing has changed since, or nothing but
" what = does, the number of changes says so. It empties blank lines too, and does not ask for them.
function! s:goes_on(lnum) abort
  let l:asked = s:known.asked
  if empty(l:asked) || s:known.buffer != bufnr('%') || a:lnum < l:asked.lnum
    return 0
  endif
  let l:changes = b:changedtick - l:asked.tick
  let l:line = getline(l:asked.lnum)
  let l:indented = l:line !=# l:asked.line
  return l:changes == 0 || (l:changes == l:indented + l:asked.blanks && indent(l:asked.lnum) == l:asked.column
        \ && substitute(l:line, '^\s*', '', '') ==# substitute(l:asked.line, '^\s*', '', '')
        \ && s:count(l:asked.lnum + 1, '^$') >= l:asked.blanks)
endfunction

function! s:before(lnum) abort
  if !s:goes_on(a:lnum)
    let l:from = s:item(a:lnum)
    let l:n = len(s:known.lines)
    if s:known.buffer != bufnr('%') || s:known.from != l:from || l:from + l:n > a:lnum
          \ || getline(l:from, l:from + l:n - 1) !=# s:known.lines
      call s:forget(l:from)
    endif
    let s:known.code = [0, []]
  endif
  for l:at in range(s:known.from + len(s:known.lines), a:lnum - 1)
    let l:line = getline(l:at)
    if l:line =~# s:begins_item
      let l:code = s:known.code
      call s:forget(l:at)
      let s:known.code = l:code
    endif
    let l:tokens = s:tokens(l:at)
    call s:read(s:known.state, l:tokens)
    call add(s:known.lines, l:line)
    if !empty(l:tokens)
      " the column of a comment at the end of a line, which may go on below
      let s:known.comment = l:tokens[-1][0][0] ==# '#'
            \ && (len(l:tokens) > 1 || s:known.comment == l:tokens[0][1]) ? l:tokens[-1][1] : -1
    endif
  endfor
  return s:known
endfunction

" The tokens of the first line of code from LNUM on.
function! s:code(lnum) abort
  if s:known.code[0] >= a:lnum
    return s:known.code[1]
  endif
  let l:at = a:lnum
  let l:tokens = s:tokens(l:at)
  while !empty(l:tokens) && l:tokens[0][0][0] ==# '#' || empty(l:tokens) && l:at < line('$')
    let l:at += 1
    let l:tokens = s:tokens(l:at)
  endwhile
  let s:known.code = [l:at, l:tokens]
  return l:tokens
endfunction

function! s:indent(lnum) abort
  let l:before = s:before(a:lnum)
  let l:tokens = s:tokens(a:lnum)
  if !empty(l:tokens) && l:tokens[0][0][0] ==# '#'
    if l:tokens[0][1] == l:before.comment
      return l:before.comment
    endif
    let l:tokens = s:code(a:lnum)
    if !empty(l:tokens) && l:tokens[0][0] ==# '}'
      return 2
    endif
  endif
  return s:column(l:before.state, l:tokens, indent(a:lnum))
endfunction

function! StowageIndent(lnum) abort
  let l:column = s:indent(a:lnum)
  let s:known.asked = {'lnum': a:lnum, 'line': getline(a:lnum), 'tick': b:changedtick, 'column': l:column,
        \ 'blanks': s:count(a:lnum + 1, '^\s\+$')}
  return l:column
endfunction

let &cpoptions = s:save_cpo
unlet s:save_cpo
