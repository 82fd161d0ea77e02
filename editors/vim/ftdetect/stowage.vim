" Specs of networks, and the project files beside them, which are written in the same language.
autocmd BufRead,BufNewFile *.nn,.stowage setfiletype stowage
