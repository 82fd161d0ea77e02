" :compiler stowage, then :make checks the spec; :make specs/ checks a folder. Columns count bytes.
if exists('current_compiler')
  finish
endif
let current_compiler = 'stowage'
let s:save_cpo = &cpoptions
set cpoptions&vim

if exists(':CompilerSet') != 2
  command -nargs=* CompilerSet setlocal <args>
endif

let s:program = escape(shellescape(get(g:, 'stowage_program', 'stowage')), ' \|"%#')
" :make alone checks the file of the buffer
execute 'CompilerSet makeprg=' . s:program . '\ lint\ --format\ gcc\ $*\ %:S'
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,
      \%f:%l:%c:\ %tarning:\ %m,
      \%f:%l:%c:\ %tote:\ %m,
      \%f:\ %trror:\ %m,
      \%f:\ %tarning:\ %m,
      \%f:\ %tote:\ %m,
      \stowage:\ %m

let &cpoptions = s:save_cpo
unlet s:save_cpo s:program
