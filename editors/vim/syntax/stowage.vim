" Specs of Stowage (.nn). What a name is shows by its place, so operators, settings and types are listed
" nowhere; the keywords and units are those of stowage(5).
if exists('b:current_syntax')
  finish
endif
let s:save_cpo = &cpoptions
set cpoptions&vim

syntax case match
syntax sync fromstart

" ---- words, the most general first: of two that match at one place Vim takes the later ----

syntax match stowageName /\<\h\w*\>/
syntax match stowageSpecial /\<\%(in\|index\)\>/
syntax match stowageBoolean /\<\%(true\|false\)\>/
syntax match stowageConditional /\<\%(if\|then\|else\)\>/
syntax match stowageLogical /\<\%(and\|or\|not\)\>/
syntax match stowageLabel /\<\%(\%(if\|then\|else\|and\|or\|not\|true\|false\)\>\)\@!\h\w*\>\ze\_s*:/
syntax match stowageCall /\<\%(\%(if\|then\|else\|and\|or\|not\|true\|false\)\>\)\@!\h\w*\>\ze(/
syntax match stowageDefinition /\<\h\w*\>\ze\_s*==\@!/ contained containedin=stowageBody
syntax match stowageDefinition /\%(\<param\_s\+\)\@16<=\h\w*\>/
syntax match stowagePath /\%(\<\h\w*\|\*\)\%(\.\%(\w\+\|\*\)\)\+/

" ---- signs and numbers ----

syntax match stowageOperator /[=!<>]=\|[-+*\/%^<>]/
syntax match stowageAssignment /[=!<>]\@1<!==\@!/
syntax match stowageComma /,/
syntax match stowageColon /:/
syntax match stowagePath /\*\%(\.\%(\w\+\|\*\)\)\+/
syntax match stowageNumber /\<\d[0-9_]*\%(\.\d[0-9_]*\)\?\%([eE][+-]\?\d\+\)\?\>/
syntax match stowageNumber /\<0[xX]\x[0-9a-fA-F_]*\>/
syntax match stowageSize /\<\d[0-9_]*\%(\.\d[0-9_]*\)\?\%([eE][+-]\?\d\+\)\?[ \t]*\%([KMGT]iB\|[kMGT]\?B\)\>/
syntax match stowageString /"[^"]*\%("\|$\)/

" ---- a pipeline's stages ----

syntax match stowageArrow /->/ nextgroup=stowageStage,@stowageAfter,stowageStageComment skipwhite skipempty
syntax match stowageStage /\<\%(\%(if\|then\|else\|and\|or\|not\|true\|false\)\>\)\@!\h\w*\>\%(\_s*:\|\.\)\@!/ contained
" a comment between an arrow and its stage
syntax match stowageStageComment /#.*/ contained contains=stowageDirective,stowageTodo,@Spell
      \ nextgroup=stowageStage,@stowageAfter,stowageStageComment skipwhite skipempty

" ---- comments ----

syntax match stowageComment /#.*/ contains=stowageDirective,stowageTodo,@Spell
syntax match stowageDirective /#\s*stowage:\s*allow\%(-file\)\?([^)#]*)/hs=s+1 contained contains=@NoSpell
syntax keyword stowageTodo TODO FIXME XXX contained

" ---- brackets; an item that begins a line ends all that was left open ----

syntax region stowageParens matchgroup=stowageBracket start=/(/ end=/)/
      \ end=/^\s*\%(use\|param\|block\|network\|train\|validate\|device\|lint\)\>\%(\_s*==\@!\)\@!/me=s-1
      \ contains=@stowageValue,stowageUnit,stowageArgument
syntax region stowageParens matchgroup=stowageBracket start=/\[/ end=/\]/
      \ end=/^\s*\%(use\|param\|block\|network\|train\|validate\|device\|lint\)\>\%(\_s*==\@!\)\@!/me=s-1
      \ contains=@stowageValue,stowageUnit,stowageArgument
syntax match stowageUnit /\%(\d[ \t]*\)\@8<=\<\%(epochs\|steps\)\>/ contained
syntax match stowageUnit /\%(\d\)\@1<=\%(epochs\|steps\)\>/ contained
syntax match stowageArgument /\<\h\w*\>\ze\_s*==\@!/ contained

syntax cluster stowageValue contains=stowageName,stowageSpecial,stowageBoolean,stowageConditional,
      \stowageLogical,stowageLabel,stowageCall,stowagePath,stowageOperator,stowageAssignment,
      \stowageComma,stowageColon,stowageNumber,stowageSize,stowageString,stowageArrow,stowageComment,
      \stowageParens,stowageItem,stowageStatement

" ---- the body of a block or network ----

syntax region stowageBody matchgroup=stowageBracket start=/{/ end=/}/
      \ end=/^\s*\%(use\|param\|block\|network\|train\|validate\|device\|lint\)\>\%(\_s*==\@!\)\@!/me=s-1
      \ contains=@stowageValue,stowageDefinition,stowageDeclares fold
syntax match stowageStatement /\<\%(loss\|metric\|input\|target\)\>\%(\_s*==\@!\)\@!/
syntax match stowageDeclares /\<\%(input\|target\)\>\%(\_s*==\@!\)\@!/ contained contains=stowageStatement
      \ nextgroup=stowageDeclaration,stowageCommaComment skipwhite skipempty
syntax match stowageDeclaration /\<\h\w*\>\%(\_s*==\@!\)\@!/ contained
      \ nextgroup=stowageDeclarationComma,stowageTypeColon,stowageDeclarationComment skipwhite skipempty
syntax match stowageDeclarationComma /,/ contained
      \ nextgroup=stowageDeclaration,stowageCommaComment skipwhite skipempty
syntax match stowageDeclarationComment /#.*/ contained contains=stowageDirective,stowageTodo,@Spell
      \ nextgroup=stowageDeclarationComma,stowageTypeColon,stowageDeclarationComment skipwhite skipempty
syntax match stowageCommaComment /#.*/ contained contains=stowageDirective,stowageTodo,@Spell
      \ nextgroup=stowageDeclaration,stowageCommaComment skipwhite skipempty
syntax match stowageTypeColon /:/ contained nextgroup=stowageType skipwhite skipempty
syntax match stowageType /\<\h\w*\>/ contained

" ---- settings: a name is a key where the value before it is complete ----

syntax region stowageSettings matchgroup=stowageBracket start=/{/ end=/}/ contained
      \ end=/^\s*\%(use\|param\|block\|network\|train\|validate\|device\|lint\)\>\%(\_s*==\@!\)\@!/me=s-1
      \ contains=stowageKey,@stowageOperand,stowageBoolean,stowageNumber,stowageSize,stowageString,
      \stowageComment,stowageParens,stowageCall,stowagePath,stowageLabel,stowageSetArrow,
      \stowageSetOperator,stowageSetWord,stowageSetComma fold
syntax match stowageKey /\<\%(\%(if\|then\|else\|and\|or\|not\|true\|false\)\>\)\@!\h\w*\>\%([.(]\)\@!/ contained
      \ nextgroup=@stowageAfter,stowageSetStar,stowageValueName,stowageSetComment skipwhite skipempty
syntax match stowageSetComma /,/ contained
      \ nextgroup=@stowageAfter,stowageSetStar,stowageValueName,stowageSetComment skipwhite skipempty
syntax match stowageSetStar /\*\.\@!/ contained
syntax match stowageValueName /\<\%(\%(if\|then\|else\|and\|or\|not\|true\|false\)\>\)\@!\h\w*\>\%([.(]\)\@!/ contained
syntax match stowageSetComment /#.*/ contained contains=stowageDirective,stowageTodo,@Spell
      \ nextgroup=@stowageAfter,stowageSetStar,stowageValueName,stowageSetComment skipwhite skipempty
syntax match stowageSetOperator /[=!<>]=\|[-+*\/%^<>]/ contained nextgroup=@stowageAfter,stowageOperand skipwhite skipempty
syntax match stowageSetArrow /->/ contained nextgroup=@stowageAfter,stowageStage,stowageStageComment skipwhite skipempty
syntax match stowageSetWord /\<\%(if\|then\|else\)\>/ contained contains=stowageConditional
      \ nextgroup=@stowageAfter,stowageOperand skipwhite skipempty
syntax match stowageSetWord /\<\%(and\|or\|not\)\>/ contained contains=stowageLogical
      \ nextgroup=@stowageAfter,stowageOperand skipwhite skipempty
syntax match stowageOperand /\<\%(\%(if\|then\|else\|and\|or\|not\|true\|false\)\>\)\@!\h\w*\>\%([.(]\)\@!/ contained
syntax cluster stowageAfter contains=stowageCall,stowagePath,stowageLabel

" ---- items ----

syntax match stowageItem /\<\%(use\|param\|block\|network\|train\|validate\|device\|lint\)\>\%(\_s*==\@!\)\@!/
syntax match stowageHead /\<\%(block\|network\)\>\%(\_s*==\@!\)\@!/ contains=stowageItem
      \ nextgroup=stowageTitle skipwhite skipempty
syntax match stowageTitle /\<\h\w*\>/ contained
syntax match stowageSection /\<\%(train\|validate\|device\|lint\)\>\%(\_s*==\@!\)\@!/ contains=stowageItem
      \ nextgroup=stowageSectionTitle,stowageSectionString,stowageSettings skipwhite skipempty
syntax match stowageSectionTitle /\<\h\w*\>/ contained contains=stowageTitle
      \ nextgroup=stowageSettings skipwhite skipempty
syntax match stowageSectionString /"[^"]*"/ contained contains=stowageString
      \ nextgroup=stowageSettings skipwhite skipempty

highlight default link stowageItem Structure
highlight default link stowageStatement Statement
highlight default link stowageConditional Conditional
highlight default link stowageLogical Operator
highlight default link stowageBoolean Boolean
highlight default link stowageSpecial Special
highlight default link stowageTitle Typedef
highlight default link stowageDefinition Identifier
highlight default link stowageDeclaration Identifier
highlight default link stowageType Type
highlight default link stowageLabel Label
highlight default link stowageCall Function
highlight default link stowageStage Function
highlight default link stowageKey Keyword
highlight default link stowageValueName Constant
highlight default link stowageArgument Tag
highlight default link stowageNumber Number
highlight default link stowageSize Number
highlight default link stowageUnit Number
highlight default link stowageString String
highlight default link stowageArrow Operator
highlight default link stowageSetArrow Operator
highlight default link stowageOperator Operator
highlight default link stowageSetOperator Operator
highlight default link stowageComment Comment
highlight default link stowageDeclarationComment Comment
highlight default link stowageCommaComment Comment
highlight default link stowageSetComment Comment
highlight default link stowageStageComment Comment
highlight default link stowageDirective SpecialComment
highlight default link stowageTodo Todo

let b:current_syntax = 'stowage'
let &cpoptions = s:save_cpo
unlet s:save_cpo
