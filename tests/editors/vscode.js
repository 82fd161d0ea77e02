// What the extension for Visual Studio Code does, with stand-ins for the editor and for the library that
// speaks to the server; in TAP.
'use strict';

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const Module = require('module');

const folder = path.join(process.env.top_srcdir, 'editors', 'vscode');
const read = (name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
const pack = read('package.json');
const contributes = pack.contributes;

const clients = [];
const commands = {};
const events = {};
const shown = [];
let settings = {};
let fails = false;

const vscode = {
	workspace: {
		isTrusted: true,
		getConfiguration: (section) => ({
			get(name) {
				const full = `${section}.${name}`;
				const declared = contributes.configuration.properties[full];
				assert(declared, `${full} is asked for, and not declared`);
				return full in settings ? settings[full] : declared.default;
			},
		}),
		createFileSystemWatcher: (glob) => ({ glob }),
		onDidChangeConfiguration: (f) => (events.configuration = f),
		onDidGrantWorkspaceTrust: (f) => (events.trust = f),
	},
	commands: {
		registerCommand: (name, f) => (commands[name] = f),
		executeCommand: () => {},
	},
	window: {
		showErrorMessage: async (text) => { shown.push(text); },
	},
};
class LanguageClient {
	constructor(id, name, server, options) {
		Object.assign(this, { id, name, server, options, state: 'new' });
		clients.push(this);
	}
	async start() {
		if (fails)
			throw new Error('spawn ENOENT');
		this.state = 'running';
	}
	async dispose() { this.state = 'stopped'; }
}
const stand_ins = {
	vscode,
	'vscode-languageclient/node': { LanguageClient, TransportKind: { stdio: 0 } },
};
const load = Module._load;
Module._load = (name, ...rest) => stand_ins[name] || load(name, ...rest);

async function test(name, body) {
	try {
		await body();
		console.log(`ok - VS Code: ${name}`);
	} catch (error) {
		console.log(`not ok - VS Code: ${name}`);
		console.log(`# ${String(error.stack).replace(/\n/g, ' ')}`);
	}
}
const running = () => clients.filter((c) => c.state === 'running');
const changed = (name) => ({ affectsConfiguration: (asked) => asked === name });
const settle = async () => { for (let i = 0; i < 20; i++) await null; };

(async () => {
	await test('every file that the package names is there', () => {
		const files = [pack.main, ...contributes.languages.map((l) => l.configuration),
			...contributes.grammars.map((g) => g.path), ...contributes.snippets.map((s) => s.path)];
		assert(files.length >= 4);
		for (const file of files)
			assert(fs.existsSync(path.join(folder, file)), file);
		assert.strictEqual(read('syntaxes/stowage.tmLanguage.json').scopeName,
			contributes.grammars[0].scopeName);
		assert(Object.keys(pack.dependencies).includes('vscode-languageclient'));
	});
	await test('the language configuration is sound', () => {
		const language = read('language-configuration.json');
		assert.strictEqual(language.comments.lineComment, '#');
		const word = new RegExp(`^(?:${language.wordPattern})$`);
		assert(word.test('batch_norm2') && !word.test('a.b') && !word.test('2a'));
		const open = new RegExp(language.indentationRules.increaseIndentPattern);
		assert(open.test('network n {') && open.test('train {  # why') && !open.test('lint { note all }'));
		assert(!open.test('# {') && !open.test('  name "{'));
	});
	await test('a warning is matched with its place and rule', () => {
		const m = new RegExp(contributes.problemMatchers[0].pattern.regexp)
			.exec('a b/net.nn:12:3: warning: param [2] is not used [unused-name]');
		assert.deepStrictEqual(m.slice(1),
			['a b/net.nn', '12', '3', 'warning', 'param [2] is not used', 'unused-name']);
	});

	const extension = require(path.join(folder, 'extension.js'));
	const context = { subscriptions: [] };

	await test('nothing is started in a workspace that is not trusted, until it is', async () => {
		vscode.workspace.isTrusted = false;
		settings = { 'stowage.path': '/opt/stowage', 'stowage.arguments': ['--log', 'messages.log'],
			'stowage.byteHints': false };
		await extension.activate(context);
		assert.strictEqual(clients.length, 0);
		await commands['stowage.restart']();
		assert.strictEqual(clients.length, 0);
		vscode.workspace.isTrusted = true;
		await events.trust();
		assert.strictEqual(running().length, 1);
	});
	await test('the server is the program of the settings', () => {
		assert.strictEqual(clients[0].server.command, '/opt/stowage');
		assert.deepStrictEqual(clients[0].server.args, ['lsp', '--log', 'messages.log']);
		assert.deepStrictEqual(clients[0].options.initializationOptions,
			{ shapeHints: true, byteHints: false, argumentHints: true, lenses: true });
		const languages = clients[0].options.documentSelector.map((s) => s.language);
		assert(languages.every((l) => l === contributes.languages[0].id));
		assert.strictEqual(`${clients[0].id}.trace.server` in contributes.configuration.properties, true);
	});
	await test('it is started anew on demand, and when its settings change, one at a time', async () => {
		assert.deepStrictEqual(Object.keys(commands), contributes.commands.map((c) => c.command));
		await Promise.all([commands['stowage.restart'](), commands['stowage.restart']()]);
		assert.strictEqual(clients.length, 3);
		assert.strictEqual(running().length, 1);
		settings = {};
		events.configuration(changed('editor.tabSize'));
		await settle();
		assert.strictEqual(clients.length, 3);
		events.configuration(changed('stowage.path'));
		await settle();
		assert.strictEqual(running()[0].server.command, 'stowage');
	});
	await test('a program that is not there is one clear message, and the next try may succeed', async () => {
		fails = true;
		await commands['stowage.restart']();
		assert.strictEqual(shown.length, 1);
		assert(/stowage\.path/.test(shown[0]) && /ENOENT/.test(shown[0]));
		assert.strictEqual(running().length, 0);
		fails = false;
		await commands['stowage.restart']();
		assert.strictEqual(running().length, 1);
	});
	await test('the server ends with the editor', async () => {
		await extension.deactivate();
		assert.strictEqual(running().length, 0);
	});
})();
