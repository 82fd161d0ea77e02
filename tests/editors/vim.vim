" What Vim and Neovim make of specs, in TAP to $REPORT: $MODE says what is asked. The folder is one that
" holds broken.nn, blocks.nn, uses.nn and loose.nn; see vim.test.
set nocompatible nomodeline noswapfile shortmess+=A hidden
let &runtimepath = $top_srcdir . '/editors/vim,' . &runtimepath
let g:stowage_program = $STOWAGE
filetype plugin indent on
syntax on

let s:report = []

function! s:done(name) abort
  call add(s:report, (empty(v:errors) ? 'ok - ' : 'not ok - ') . $EDITOR_NAME . ': ' . a:name)
  for l:error in v:errors
    call add(s:report, '# ' . substitute(l:error, '\n', ' ', 'g'))
  endfor
  let v:errors = []
endfunction

try
  let s:fresh = {}
  new
  for s:option in ['comments', 'commentstring', 'formatoptions', 'suffixesadd', 'include', 'define',
        \ 'formatprg', 'formatexpr', 'keywordprg', 'shiftwidth', 'textwidth', 'expandtab', 'indentexpr', 'indentkeys']
    let s:fresh[s:option] = eval('&' . s:option)
  endfor

  edit broken.nn
  call assert_equal('stowage', &filetype)
  edit .stowage
  call assert_equal('stowage', &filetype)
  edit other.txt
  call assert_notequal('stowage', &filetype)
  call s:done('specs and project files are known by their names')

  edit broken.nn
  compiler stowage
  silent make!
  let s:list = map(filter(getqflist(), 'v:val.valid'),
        \ '[bufname(v:val.bufnr), v:val.lnum, v:val.col, v:val.type, v:val.text]')
  " the columns are those of the words, found in the text
  let s:place = searchpos('dens\>', 'n')
  call assert_equal(['broken.nn', s:place[0], s:place[1], 'e'], s:list[0][:3])
  call assert_match('dens', s:list[0][4])
  let s:place = searchpos('nowhere', 'n')
  call assert_equal(['broken.nn', s:place[0], s:place[1], 'e'], s:list[1][:3])
  call assert_equal(2, len(s:list))
  call s:done(':make fills the quickfix list, with the column behind letters beyond ASCII')

  edit loose.nn
  let s:loose = getline(1, '$')
  let s:laid = systemlist(shellescape(g:stowage_program) . ' fmt -', s:loose)
  call assert_notequal(s:laid, s:loose)
  StowageFormat
  call assert_equal(s:laid, getline(1, '$'))
  call setline(1, s:loose)
  edit!
  normal! gggqG
  call assert_equal(s:laid, getline(1, '$'))
  edit!
  call s:done(':StowageFormat and gq lay a spec out')

  edit! loose.nn
  2normal! gqq
  call assert_equal(s:loose, getline(1, '$'))
  call append(0, ['# ' . repeat('word ', 30), '# and more'])
  call cursor(1, 1)
  normal! gqj
  let s:comments = getline(1, line('$') - len(s:loose))
  call assert_equal(s:loose, getline(len(s:comments) + 1, '$'))
  call assert_equal(-1, match(s:comments, '^\%(# \w\)\@!\|\%>100c.'))
  call assert_equal(-1, match(s:comments[0], '\%<60c$'))
  edit!
  call s:done('gq breaks comments, and leaves lines of code alone')

  enew!
  setfiletype stowage
  call setline(1, ['network n {', 'x = (', '}'])
  call setqflist([])
  StowageFormat
  call assert_equal(['network n {', 'x = (', '}'], getline(1, '$'))
  call assert_equal(1, len(filter(getqflist(), 'v:val.lnum == 2')) > 0)
  cclose
  call s:done(':StowageFormat leaves what does not parse, and says what is wrong')

  edit! uses.nn
  call cursor(1, 8)
  normal! gf
  call assert_equal('blocks.nn', bufname('%'))
  edit! uses.nn
  call assert_match('blocks.nn', execute('checkpath!'))
  call assert_match('block shared', execute('dsearch /shared/'))
  call s:done('gf and dsearch follow "use"')

  edit! uses.nn
  StowageExplain relu
  call assert_match('relu', join(getline(1, '$')))
  close!
  call s:done(':StowageExplain shows what an operator is')

  enew!
  setfiletype stowage
  set cpoptions-=<
  call setline(1, 'network n {')
  call feedkeys("oy = x -> conv(3,\<CR>pad=1)\<CR>-> relu\<CR>}\<Esc>", 'xt')
  call assert_equal(['network n {', '  y = x -> conv(3,', '                pad=1)', '        -> relu', '}'],
        \ getline(1, '$'))
  call s:done('lines are indented as they are typed')

  " what is remembered of the lines above is forgotten when they change
  enew!
  setfiletype stowage
  let s:text = repeat(['network n {', '  input x : f32[4]', '  # a', '   ', '  y = x -> conv(3,', 'pad=1)', '', '->relu',
        \ '# b', '}', 'train {', 'batch 3 # c', '# d', '   ', '}'], 4)
  let s:seed = 7
  function! s:random(n) abort
    let s:seed = (s:seed * 1103515245 + 12345) % 2147483648
    return (s:seed / 65536) % a:n
  endfunction
  let s:asked = []
  let s:lnum = 1
  for s:step in range(1500)
    if s:step % 50 == 0
      silent %delete _
      call setline(1, s:text)
    endif
    let s:lnum = s:random(3) ? min([s:lnum + 1 + s:random(2), line('$')]) : 1 + s:random(line('$'))
    let s:lnum = s:lnum == line('$') ? 1 : s:lnum
    call cursor(s:lnum, 1)
    call add(s:asked, [getline(1, '$'), s:lnum, StowageIndent(s:lnum)])
    normal! ==
    call cursor(1 + s:random(line('$')), 1)
    execute 'normal!' ['l', 'l', 'l', 'x', '$x', 'dd', 'D', 'u', "i(\<Esc>", 'yyp'][s:random(10)]
  endfor
  enew!
  setfiletype stowage
  let s:wrong = 0
  let s:columns = {}
  for [s:lines, s:lnum, s:column] in s:asked
    silent %delete _
    call setline(1, s:lines)
    let s:wrong += StowageIndent(s:lnum) != s:column
    let s:columns[s:column] = 1
  endfor
  call assert_equal(0, s:wrong)
  call assert_true(len(s:columns) > 5, string(s:columns))
  call s:done('indentation is that of the text as it is, whatever was changed before')

  edit! uses.nn
  call assert_equal(2, exists(':StowageFormat'))
  execute b:undo_ftplugin
  execute b:undo_indent
  for s:option in keys(s:fresh)
    call assert_equal(s:fresh[s:option], eval('&' . s:option), s:option)
  endfor
  call assert_equal(0, exists(':StowageFormat'))
  call assert_equal(0, exists('b:match_words'))
  call s:done('undo_ftplugin leaves nothing behind')
catch
  call add(v:errors, v:throwpoint . ': ' . v:exception)
  call s:done('the script came to its end')
endtry
call writefile(s:report, $REPORT)
qall!
