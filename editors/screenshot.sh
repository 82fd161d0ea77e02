#!/bin/sh
# The picture of an editor that README.md shows: Neovim in a terminal, on a display that is not there.
#
#	sh editors/screenshot.sh STOWAGE PICTURE.png
#
# It needs Xvfb, xterm, neovim, ImageMagick and the font DejaVu Sans Mono.
set -eu
stowage=$(realpath "$1")
picture=$(realpath -m "$2")
editors=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
cat > net.nn <<'EOF'
# A classifier of small pictures, as it was first written.
param width = 64

block stage(filters) {
  out = in -> conv(filters, 3, pad=1, bias=false) -> batchnorm -> relu -> maxpool(2)
}

network pictures {
  input  image : f32[3, 224, 224]
  target class : class[100]

  body   = image -> stage(width) -> stage(2 * width) -> stage(4 * width)
  logits = body -> flatten -> dense(1024) -> relu -> dense(100)

  loss   cross_entropy(logits, class)
  metric accuracy(logits, class)
}

train {
  batch     1024
  optimizer adam(lr=1e-3)
  data      synthetic(50_000)
}
device { name "RTX 3090" }
EOF
cat > init.lua <<EOF
vim.opt.runtimepath:prepend('$editors/vim')
vim.opt.runtimepath:prepend('$editors/nvim')
vim.g.stowage_program = '$stowage'
vim.o.termguicolors = true
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.laststatus = 2
vim.cmd('colorscheme desert')
vim.cmd('syntax on | filetype plugin indent on')
local ns = vim.api.nvim_create_namespace('shot')
require('stowage').setup({ on_attach = function(client, buf)
  vim.defer_fn(function()
    vim.lsp.buf_request(buf, 'textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params() }, function(err, result)
      for _, l in ipairs(result or {}) do
        vim.api.nvim_buf_set_extmark(buf, ns, l.range.start.line, 0, { virt_lines = { { { l.command.title, 'Comment' } } }, virt_lines_above = true })
      end
    end)
  end, 3500)
  vim.defer_fn(function() vim.fn.cursor(13, 32); vim.lsp.buf.hover() end, 4500)
end })
vim.diagnostic.config({ virtual_text = { format = function(d) return d.message:match("^[^:\n]*") end } })
vim.cmd('hi NormalFloat guibg=#1c1c28 guifg=#e0e0e0 | hi SignColumn guibg=#333333')
vim.lsp.handlers['textDocument/hover'] = vim.lsp.with(vim.lsp.handlers.hover, { max_height = 10, max_width = 84 })
EOF
export DISPLAY=:93 HOME="$work"
Xvfb "$DISPLAY" -screen 0 1180x565x24 > /dev/null 2>&1 &
sleep 1
xterm -bg black -fg white -geometry 118x29 -fa 'DejaVu Sans Mono' -fs 12 \
	-e nvim -u init.lua -i NONE -n net.nn > /dev/null 2>&1 &
sleep 10
import -window root shot.png
convert shot.png -colors 32 "PNG8:$picture"
