-- Neovim's client and `stowage lsp`, in TAP to $REPORT. The folder is one that write_specs made.
local report = {}

local function test(name, body)
	local ok, why = xpcall(body, debug.traceback)
	table.insert(report, (ok and 'ok - ' or 'not ok - ') .. 'Neovim: ' .. name)
	if not ok then
		table.insert(report, '# ' .. tostring(why):gsub('\n', ' '))
	end
end

local function same(wanted, found)
	if not vim.deep_equal(wanted, found) then
		error('expected ' .. vim.inspect(wanted) .. ', found ' .. vim.inspect(found), 2)
	end
end

local function waited(what, condition)
	if not vim.wait(60000, condition, 50) then
		error('waited in vain for ' .. what, 2)
	end
end

local source = vim.env.top_srcdir
vim.cmd('set nocompatible nomodeline noswapfile hidden shortmess+=A')
vim.opt.runtimepath:prepend({ source .. '/editors/vim', source .. '/editors/nvim' })
vim.g.stowage_program = vim.env.STOWAGE
vim.cmd('filetype plugin indent on')

local attached = {}
require('stowage').setup({ on_attach = function(client, buffer) attached[buffer] = client end })

local function open(name)
	vim.cmd('edit! ' .. name)
	local buffer = vim.api.nvim_get_current_buf()
	waited('the server', function() return attached[buffer] end)
	return buffer, attached[buffer]
end

local function lines(buffer)
	return vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
end

-- where WORD first stands: line and byte, from 0
local function place(buffer, word)
	for i, line in ipairs(lines(buffer)) do
		local at = line:find(word, 1, true)
		if at then
			return i - 1, at - 1
		end
	end
	error(word .. ' is not there')
end

local function ask(client, buffer, method, word, more)
	local line, at = place(buffer, word)
	vim.api.nvim_win_set_cursor(0, { line + 1, at })
	local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(0, client.offset_encoding), more or {})
	local answer = client.request_sync(method, params, 60000, buffer)
	assert(answer and not answer.err, method .. ': ' .. vim.inspect(answer))
	return answer.result
end

test('a new Neovim gets the same server', function()
	local config = dofile(source .. '/editors/nvim/lsp/stowage.lua')
	same({ vim.env.STOWAGE, 'lsp' }, config.cmd)
	same({ 'stowage' }, config.filetypes)
end)

test('findings stand at their words, behind letters beyond ASCII', function()
	local buffer = open('broken.nn')
	waited('findings', function() return #vim.diagnostic.get(buffer) == 2 end)
	local found = vim.diagnostic.get(buffer)
	table.sort(found, function(a, b) return a.lnum < b.lnum end)
	for i, word in ipairs({ 'dens', 'nowhere' }) do
		local line, at = place(buffer, word)
		same({ line, at, at + #word }, { found[i].lnum, found[i].col, found[i].end_col })
		same(vim.diagnostic.severity.ERROR, found[i].severity)
	end
end)

test('one server serves the files of a project', function()
	local _, first = open('broken.nn')
	local _, second = open('fine.nn')
	same(first.id, second.id)
	same(vim.fn.getcwd(), first.config.root_dir)
end)

test('a fix is applied, and its finding is gone', function()
	local buffer, client = open('broken.nn')
	waited('findings', function() return #vim.diagnostic.get(buffer) == 2 end)
	local line, at = place(buffer, 'dens')
	local finding = vim.tbl_filter(function(d) return d.lnum == line end, vim.diagnostic.get(buffer))[1]
	local range = { start = { line = line, character = at }, ['end'] = { line = line, character = at + 4 } }
	local actions = ask(client, buffer, 'textDocument/codeAction', 'dens', {
		range = range,
		context = { diagnostics = { finding.user_data.lsp and vim.tbl_extend('force', {
			range = range, message = finding.message, severity = 1 }, finding.user_data.lsp) } },
	})
	local fix = vim.tbl_filter(function(a) return a.title:find('dense', 1, true) end, actions)[1]
	assert(fix, vim.inspect(actions))
	if not fix.edit then
		fix = client.request_sync('codeAction/resolve', fix, 60000, buffer).result
	end
	vim.lsp.util.apply_workspace_edit(fix.edit, client.offset_encoding)
	same('  y = x -> dense(4)', lines(buffer)[line + 1])
	waited('one finding less', function() return #vim.diagnostic.get(buffer) == 1 end)
end)

test('a spec is formatted as stowage fmt does it', function()
	local buffer, client = open('loose.nn')
	local laid = vim.fn.systemlist({ vim.env.STOWAGE, 'fmt', '-' }, lines(buffer))
	local edits = ask(client, buffer, 'textDocument/formatting', 'network', { options = { tabSize = 2, insertSpaces = true } })
	assert(#edits > 0)
	vim.lsp.util.apply_text_edits(edits, buffer, client.offset_encoding)
	same(laid, lines(buffer))
end)

test('a block is found in the file that defines it', function()
	local buffer, client = open('uses.nn')
	local found = ask(client, buffer, 'textDocument/definition', 'shared')
	found = vim.tbl_islist(found) and found[1] or found
	same('blocks.nn', vim.fn.fnamemodify(vim.uri_to_fname(found.uri or found.targetUri), ':t'))
	same(0, (found.range or found.targetSelectionRange).start.line)
end)

test('an operator is completed', function()
	local buffer, client = open('fine.nn')
	waited('no findings', function() return #vim.diagnostic.get(buffer) == 0 end)
	vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { '# ≤', 'network o { input x : f32[4]', '  y = x -> den' })
	local line, at = place(buffer, '> den')
	vim.api.nvim_win_set_cursor(0, { line + 1, at + 4 })
	local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
	params.position.character = at + 5
	local answer = client.request_sync('textDocument/completion', params, 60000, buffer)
	local items = answer.result.items or answer.result
	assert(#vim.tbl_filter(function(i) return i.label == 'dense' end, items) == 1, vim.inspect(items))
end)

test('the server ends with the editor', function()
	local _, client = open('fine.nn')
	client.stop()
	waited('the end', function() return client.is_stopped() end)
end)

vim.fn.writefile(report, vim.env.REPORT)
vim.cmd('qall!')
