-- The language server, for Neovim 0.11 and newer: vim.lsp.enable('stowage').
return {
	cmd = { vim.g.stowage_program or 'stowage', 'lsp' },
	filetypes = { 'stowage' },
	root_markers = { '.stowage', '.git' },
}
