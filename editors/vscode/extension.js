// Starts `stowage lsp` and connects the editor with it. Everything that the extension can do beyond
// colours and snippets is the server's.
'use strict';

const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

// What the server wants to know.
const SHOWN = ['shapeHints', 'byteHints', 'argumentHints', 'lenses'];

let client;

function create() {
	const settings = vscode.workspace.getConfiguration('stowage');
	const server = {
		command: settings.get('path') || 'stowage',
		args: ['lsp', ...(settings.get('arguments') || [])],
		transport: TransportKind.stdio,
	};
	return new LanguageClient('stowage', 'Stowage', server, {
		documentSelector: [
			{ scheme: 'file', language: 'stowage' },
			{ scheme: 'untitled', language: 'stowage' },
		],
		initializationOptions: Object.fromEntries(SHOWN.map((name) => [name, settings.get(name)])),
		synchronize: {
			configurationSection: 'stowage',
			fileEvents: vscode.workspace.createFileSystemWatcher('**/{*.nn,.stowage}'),
		},
	});
}

async function start() {
	if (!vscode.workspace.isTrusted)
		return;
	client = create();
	try {
		await client.start();
	} catch (error) {
		const settings = 'Open the settings';
		vscode.window.showErrorMessage(
			`Stowage's language server does not start: ${error.message || error}. Is the program ` +
			'installed, and is stowage.path right?', settings).then((chosen) => {
			if (chosen)
				vscode.commands.executeCommand('workbench.action.openSettings', 'stowage.path');
		});
	}
}

async function stop() {
	const old = client;

	client = undefined;
	if (old)
		await old.dispose();
}

// One change of the client at a time.
let turn = Promise.resolve();

function restart() {
	turn = turn.then(stop).then(start, start);
	return turn;
}

async function activate(context) {
	context.subscriptions.push(
		vscode.commands.registerCommand('stowage.restart', restart),
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (client && (event.affectsConfiguration('stowage.path') ||
			    event.affectsConfiguration('stowage.arguments')))
				restart();
		}),
		vscode.workspace.onDidGrantWorkspaceTrust(restart));
	await restart();
}

function deactivate() {
	turn = turn.then(stop, stop);
	return turn;
}

module.exports = { activate, deactivate };
