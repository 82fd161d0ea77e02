/*
 * The grammar of .nn files. It is LALR(1) without conflicts because syntax/filter.c has already
 * told definitions, argument names and settings' keys from other names, and has balanced the
 * brackets; that is also what makes the error productions below safe: a ')' is always the right
 * one.
 *
 * After a mistake the parser throws tokens away up to a place where it can go on. RECOVERED marks
 * these places; until one is reached no further message is given. Productions with `error` keep
 * what is known (a definition's name), so that a broken value does not make its name unknown.
 */
%code requires {
#include "syntax/parse.h"
}

%define api.pure full
%define api.prefix {nn_}
%define api.token.prefix {TOK_}
%define api.location.type {struct loc}
%define parse.error custom
%define parse.lac full
%locations
%param { struct parse *p }
%expect 0

%union {
	const char *text;
	struct expr *literal;
	struct parsed value;
	struct type *type;
	struct name name;
	int mark;
	int token;
}

%code {
#include "syntax/tree.h"

static int	nn_lex(NN_STYPE *, struct loc *, struct parse *);
static void	nn_error(struct loc *, struct parse *, const char *);

/* nothing has a place that its parts have not */
#define YYLLOC_DEFAULT(cur, rhs, n) do {						\
	if (n)										\
		(cur) = loc_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n));			\
	else										\
		(cur) = (struct loc){ YYRHSLOC(rhs, 0).src, YYRHSLOC(rhs, 0).end,	\
		    YYRHSLOC(rhs, 0).end };						\
} while (0)

#define YYMAXDEPTH	100000

#define RECOVERED do {		\
	yyerrok;		\
	p->panic = -1;		\
} while (0)

/* Where a bracket should have ended is a guess, too weak to judge its contents by. */
#define MADE_UP(closer, value) do {					\
	if (closer)							\
		(value) = build_bad(p, (value).e->loc);			\
} while (0)
}

%token <text> NAME PATH DEF ARG KEY
%token <literal> NUM SIZE DURATION STR
%token BAD				/* a literal with a mistake in it, already reported */
%token USE PARAM BLOCK NETWORK TRAIN VALIDATE DEVICE LINT
%token INPUT TARGET LOSS METRIC
%token IF THEN ELSE TRUE FALSE
%token ARROW EQ NE LE GE
%token <text> ')' ']'			/* with a text: made up, its bracket was never closed */
%token STAR				/* a lone * as a setting's value */
%token ELLIPSIS
%token SELECTED				/* .last of a whole expression, already reported */

/* Operators are told apart by precedence rather than by a nonterminal each: a value that stands
 * alone, as most do, would pass through all of them. Two comparisons in a row are no expression,
 * and 'not' stands before a comparison, never inside one. */
%left OR
%left AND
%precedence NOT
%left '+' '-'
%left '*' '/' '%'
%precedence SIGN
%right '^'
%precedence '[' SELECTED

%type <value> expr pipe label or sum value bound
%type <type> type
%type <name> name key lhs
%type <mark> lparen lbracket formals
%type <token> section

%%

file:	  %empty
	| file item
	| file error
	;

item:	  use STR		{ vec_push(p->arena, &p->file->imports,
				      ((struct import){ $2->name, @2 })); }
	| param lhs expr	{ vec_push(p->arena, &p->file->globals,
				      ((struct global){ $2, $3.e })); }
	| param lhs error	{ vec_push(p->arena, &p->file->globals,
				      ((struct global){ $2, build_bad(p, @3).e })); }
	| block name formals body	{ file_block(p, $2, @$); }
	| network name body	{ file_network(p, $2, @$); }
	| section '{' settings end	{ file_section(p, $1, (struct name){ NULL, @1 }, @1, @$); }
	| section name '{' settings end	{ file_section(p, $1, $2, @1, @$); }
	| section STR '{' settings end	{ file_section(p, $1, (struct name){ $2->name, @2 }, @1,
				      @$); }
	;

use:	  USE			{ RECOVERED; }
	;
param:	  PARAM			{ RECOVERED; }
	;
block:	  BLOCK			{ RECOVERED; p->formals.n = 0; drop_args(p, 0); }
	;
network:  NETWORK		{ RECOVERED; }
	;
section:  TRAIN			{ RECOVERED; $$ = TOK_TRAIN; }
	| VALIDATE		{ RECOVERED; $$ = TOK_VALIDATE; }
	| DEVICE		{ RECOVERED; $$ = TOK_DEVICE; }
	| LINT			{ RECOVERED; $$ = TOK_LINT; }
	;
name:	  NAME			{ $$ = (struct name){ $1, @1 }; }
	;

formals:  %empty		{ $$ = 0; }
	| lparen ')'
	| lparen formal_list ')'
	| lparen formal_list ',' ')'
	| lparen error ')'	{ $$ = $1; RECOVERED; }
	;
formal_list: formal
	| formal_list ',' formal
	;
formal:	  NAME			{ vec_push(p->arena, &p->formals,
				      ((struct formal){ { $1, @1 }, NULL })); }
	| ARG '=' expr		{ vec_push(p->arena, &p->formals,
				      ((struct formal){ { $1, @1 }, $3.e })); }
	;

body:	  '{' stmts end
	;
end:	  '}'			{ RECOVERED; }
	;
stmts:	  %empty		{ RECOVERED; p->stmts.n = p->names.n = 0; drop_args(p, 0); }
	| stmts stmt
	| stmts error		{ push_stmt(p, (struct stmt){ .kind = S_BAD, .loc = @2 }); }
	;

stmt:	  lhs expr		{ push_stmt(p, build_def(p, $1, $2, @$)); }
	| lhs error		{ push_stmt(p, build_def(p, $1, build_bad(p, @2), @$)); }
	| input names		{ push_stmt(p, build_names(p, S_INPUT, NULL, @$)); }
	| input names ':' type	{ push_stmt(p, build_names(p, S_INPUT, $4, @$)); }
	| input names ':' error	{ push_stmt(p, build_names(p, S_INPUT,
				      build_type(p, (struct name){ NULL, @4 }, 0, @4), @$)); }
	| target names ':' type	{ push_stmt(p, build_names(p, S_TARGET, $4, @$)); }
	| target names error	{ push_stmt(p, build_names(p, S_TARGET,
				      build_type(p, (struct name){ NULL, @3 }, 0, @3), @$)); }
	| target names ':' error	{ push_stmt(p, build_names(p, S_TARGET,
				      build_type(p, (struct name){ NULL, @4 }, 0, @4), @$)); }
	| loss expr		{ push_stmt(p, (struct stmt){ .kind = S_LOSS, .loc = @$,
				      .expr = $2.e }); }
	| loss error		{ push_stmt(p, (struct stmt){ .kind = S_LOSS, .loc = @$,
				      .expr = build_bad(p, @2).e }); }
	| metric expr		{ push_stmt(p, (struct stmt){ .kind = S_METRIC, .loc = @$,
				      .expr = $2.e }); }
	;
lhs:	  DEF '='		{ $$ = (struct name){ $1, @1 }; RECOVERED; drop_args(p, 0); }
	;
input:	  INPUT			{ RECOVERED; p->names.n = 0; drop_args(p, 0); }
	;
target:	  TARGET		{ RECOVERED; p->names.n = 0; drop_args(p, 0); }
	;
loss:	  LOSS			{ RECOVERED; drop_args(p, 0); }
	;
metric:	  METRIC		{ RECOVERED; drop_args(p, 0); }
	;

names:	  name			{ vec_push(p->arena, &p->names, $1); }
	| names ',' name	{ vec_push(p->arena, &p->names, $3); }
	;

type:	  name				{ $$ = build_type(p, $1, p->args.n, @$); }
	| name lbracket args ']'	{ $$ = build_type(p, $1, $2, @$); if ($4) $$->name = NULL; }
	| name lbracket error ']'	{ RECOVERED; drop_args(p, $2);
					  $$ = build_type(p, (struct name){ NULL, @1 }, $2, @$); }
	;

settings: %empty		{ RECOVERED; p->settings.n = p->values.n = 0; drop_args(p, 0); }
	| settings setting
	| settings error
	;
setting:  key values		{ push_setting(p, $1, @$); }
	| key error		{ vec_push(p->arena, &p->values, build_bad(p, @2).e);
				  push_setting(p, $1, @$); }
	;
key:	  KEY			{ $$ = (struct name){ $1, @1 }; RECOVERED;
				  p->values.n = 0; drop_args(p, 0); }
	| METRIC		{ $$ = (struct name){ "metric", @1 }; RECOVERED;
				  p->values.n = 0; drop_args(p, 0); }
	;
values:	  value			{ vec_push(p->arena, &p->values, $1.e); }
	| values ',' value	{ vec_push(p->arena, &p->values, $3.e); }
	;
value:	  expr
	| STAR			{ $$ = build_word(p, E_STAR, NULL, @1); }
	;

expr:	  pipe
	| IF expr THEN expr ELSE expr	{ $$ = build_if(p, $2, $4, $6, @1); }
	;
pipe:	  or
	| label
	| pipe ARROW or		{ $$ = build_pipe(p, $1, $3, @2); }
	| pipe ARROW label	{ $$ = build_pipe(p, $1, $3, @2); }
	;
label:	  NAME ':' or		{ $$ = build_label(p, (struct name){ $1, @1 }, $3); }
	;
or:	  sum
	| or OR or		{ $$ = build_binary(p, OPR_OR, $1, $3, @2); }
	| or AND or		{ $$ = build_binary(p, OPR_AND, $1, $3, @2); }
	| NOT or		{ $$ = build_unary(p, OPR_NOT, $2, @1); }
	| sum EQ sum		{ $$ = build_binary(p, OPR_EQ, $1, $3, @2); }
	| sum NE sum		{ $$ = build_binary(p, OPR_NE, $1, $3, @2); }
	| sum '<' sum		{ $$ = build_binary(p, OPR_LT, $1, $3, @2); }
	| sum LE sum		{ $$ = build_binary(p, OPR_LE, $1, $3, @2); }
	| sum '>' sum		{ $$ = build_binary(p, OPR_GT, $1, $3, @2); }
	| sum GE sum		{ $$ = build_binary(p, OPR_GE, $1, $3, @2); }
	;
sum:	  sum '+' sum		{ $$ = build_binary(p, OPR_ADD, $1, $3, @2); }
	| sum '-' sum		{ $$ = build_binary(p, OPR_SUB, $1, $3, @2); }
	| sum '*' sum		{ $$ = build_binary(p, OPR_MUL, $1, $3, @2); }
	| sum '/' sum		{ $$ = build_binary(p, OPR_DIV, $1, $3, @2); }
	| sum '%' sum		{ $$ = build_binary(p, OPR_MOD, $1, $3, @2); }
	| sum '^' sum		{ $$ = build_binary(p, OPR_POW, $1, $3, @2); }
	| '-' sum %prec SIGN	{ $$ = build_unary(p, OPR_NEG, $2, @1); }
	| sum lbracket indices ']'	{ $$ = build_index(p, $1, $2, @$); MADE_UP($4, $$); }
	| sum SELECTED		{ $$ = build_bad(p, @$); }
	| sum lbracket error ']'	{ $$ = build_bad(p, @$); RECOVERED; drop_args(p, $2); }
	| NUM			{ $$ = build_literal(p, $1); }
	| SIZE			{ $$ = build_literal(p, $1); }
	| DURATION		{ $$ = build_literal(p, $1); }
	| STR			{ $$ = build_literal(p, $1); }
	| BAD			{ $$ = build_bad(p, @1); }
	| TRUE			{ $$ = build_bool(p, @1, true); }
	| FALSE			{ $$ = build_bool(p, @1, false); }
	| NAME			{ $$ = build_word(p, E_NAME, $1, @1); }
	| PATH			{ $$ = build_word(p, E_PATH, $1, @1); }
	| NAME lparen args ')'	{ $$ = build_call(p, (struct name){ $1, @1 }, $2, @$);
				  MADE_UP($4, $$); }
	| NAME lparen error ')'	{ $$ = build_bad(p, @$); RECOVERED; drop_args(p, $2); }
	| lparen expr ')'	{ $$ = $2; $$.e->loc = @$; MADE_UP($3, $$); }
	| lparen first args ')'	{ $$ = build_tuple(p, $1, @$); MADE_UP($4, $$); }
	| lparen error ')'	{ $$ = build_bad(p, @$); RECOVERED; drop_args(p, $1); }
	;
/* No label stands in an index: [a:b] is a range. */
indices:  index_list
	| index_list ','
	;
index_list: index
	| index_list ',' index
	;
index:	  or			{ push_arg(p, NULL, @1, $1); }
	| IF expr THEN expr ELSE expr	{ push_arg(p, NULL, @1, build_if(p, $2, $4, $6, @1)); }
	| ELLIPSIS		{ push_arg(p, NULL, @1, build_word(p, E_ELLIPSIS, NULL, @1)); }
	| bound ':' bound	{ push_arg(p, NULL, @2, build_range(p, $1, $3,
				      (struct parsed){ NULL, 0 }, @2)); }
	| bound ':' bound ':' bound	{ push_arg(p, NULL, @2, build_range(p, $1, $3, $5,
				      loc_join(@2, @4))); }
	;
bound:	  %empty		{ $$ = (struct parsed){ NULL, 0 }; }
	| or
	;
lparen:	  '('			{ $$ = p->args.n; }
	;
lbracket: '['			{ $$ = p->args.n; }
	;
first:	  expr ','		{ push_arg(p, NULL, @1, $1); }
	;
args:	  %empty
	| arg_list
	| arg_list ','
	;
arg_list: arg
	| arg_list ',' arg
	;
arg:	  expr			{ push_arg(p, NULL, @1, $1); }
	| ARG '=' expr		{ push_arg(p, $1, @1, $3); }
	;

%%

static int
nn_lex(NN_STYPE *v, struct loc *loc, struct parse *p)
{
	p->before = p->look;
	filter_next(p->filter, &p->look);
	if (p->tape)
		vec_push(p->arena, &p->tape->all, p->look);
	*loc = p->look.loc;
	if (p->look.expr)
		v->literal = p->look.expr;
	else
		v->text = p->look.text;
	return p->look.kind;
}

static int
yyreport_syntax_error(const yypcontext_t *ctx, struct parse *p)
{
	bool accepted[TOKEN_KINDS] = { false };
	yysymbol_kind_t symbol[YYNTOKENS];
	bool wanted[YYNTOKENS] = { false };
	int n = 0, i;

	if (p->errors < MAX_SYNTAX_ERRORS)
		n = yypcontext_expected_tokens(ctx, symbol, YYNTOKENS);
	for (i = 0; i < n; i++)
		wanted[symbol[i]] = true;
	wanted[YYSYMBOL_YYerror] = wanted[YYSYMBOL_YYUNDEF] = false;
	for (i = 0; n > 0 && i <= YYMAXUTOK; i++)
		accepted[i] = wanted[YYTRANSLATE(i)];
	expect_report(p, accepted);
	p->panic = p->look.depth;
	return 0;
}

/* Only for an exhausted stack: syntax errors go through yyreport_syntax_error(). */
static void
nn_error(struct loc *loc, struct parse *p, const char *message)
{
	(void)message;
	syntax_error(p, *loc, "expression nested too deeply to be read");
}
