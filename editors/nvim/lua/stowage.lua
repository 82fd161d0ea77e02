-- The language server, for Neovim from 0.7 to 0.10: require('stowage').setup(). One server serves all
-- specs of a project, the nearest folder above that holds .stowage or .git.
local M = {}

local servers = {} -- root to client

local function root_of(name)
	local folder = vim.fn.fnamemodify(name, ':p:h')
	for _, marker in ipairs({ '.stowage', '.git' }) do
		local at = folder
		while true do
			local path = (at == '/' and '' or at) .. '/' .. marker
			if vim.fn.filereadable(path) == 1 or vim.fn.isdirectory(path) == 1 then
				return at
			end
			local above = vim.fn.fnamemodify(at, ':h')
			if above == at then
				break
			end
			at = above
		end
	end
	return folder
end

-- OPTIONS are those of vim.lsp.start_client(); on_attach(client, buffer) is the usual place for keys.
function M.attach(buffer, options)
	local root = root_of(vim.api.nvim_buf_get_name(buffer))
	if not servers[root] then
		local config = vim.tbl_extend('force', {
			name = 'stowage',
			cmd = { vim.g.stowage_program or 'stowage', 'lsp' },
			root_dir = root,
		}, options or {})
		local on_exit = config.on_exit
		config.on_exit = function(...)
			servers[root] = nil
			if on_exit then
				on_exit(...)
			end
		end
		servers[root] = vim.lsp.start_client(config)
	end
	if servers[root] then
		vim.lsp.buf_attach_client(buffer, servers[root])
	end
	return servers[root]
end

function M.setup(options)
	local group = vim.api.nvim_create_augroup('stowage', { clear = true })
	vim.api.nvim_create_autocmd('FileType', {
		group = group,
		pattern = 'stowage',
		callback = function(event)
			if vim.bo[event.buf].buftype == '' then
				M.attach(event.buf, options)
			end
		end,
	})
end

return M
