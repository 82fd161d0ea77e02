" The language server of Stowage for ALE, which looks here for files whose 'filetype' is stowage.
call ale#Set('stowage_executable', get(g:, 'stowage_program', 'stowage'))

" The folder of the project file, or of the repository, or the file's own.
function! ale_linters#stowage#stowage#ProjectRoot(buffer) abort
  let l:project = ale#path#FindNearestFile(a:buffer, '.stowage')
  if !empty(l:project)
    return fnamemodify(l:project, ':p:h')
  endif
  let l:git = ale#path#FindNearestDirectory(a:buffer, '.git')
  return fnamemodify(empty(l:git) ? bufname(a:buffer) : l:git, empty(l:git) ? ':p:h' : ':p:h:h')
endfunction

" ALE takes the protocol's columns for bytes, and cannot tell a server so.
call ale#linter#Define('stowage', {
      \ 'name': 'stowage',
      \ 'lsp': 'stdio',
      \ 'executable': {buffer -> ale#Var(buffer, 'stowage_executable')},
      \ 'command': '%e lsp',
      \ 'project_root': function('ale_linters#stowage#stowage#ProjectRoot'),
      \ 'initialization_options': {'positionEncoding': 'utf-8'},
      \ })
