import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isConfigObject } from './config-value.ts';
import { parseDocument } from './document.ts';
import type { ParserName } from './parsed.ts';

function verdict(text: string | Uint8Array, parser: ParserName): string {
  const document = parseDocument(typeof text === 'string' ? Buffer.from(text) : text, parser);
  return document.kind === 'parsed' ? `parsed ${[...document.root.keys()].join(',')}` : document.problem;
}

const BOM = '\ufeff';

describe('a document is read strictly', () => {
  const cases: readonly (readonly [string, ParserName, string])[] = [
    ['{"a":1}', 'json', 'parsed a'],
    [' {"a":1}\n', 'json', 'parsed a'],
    ['{"a":1,}', 'json', 'syntax'],
    ['{"a":1}//', 'json', 'syntax'],
    ['{"a":1}{}', 'json', 'syntax'],
    ['', 'json', 'syntax'],
    ['[]', 'json', 'not-an-object'],
    ['null', 'json', 'not-an-object'],
    ['"text"', 'json', 'not-an-object'],
    [`${BOM}{"a":1}`, 'json', 'byte-order-mark'],
    ["{'a':1}", 'json', 'syntax'],
    ['{"a":01}', 'json', 'syntax'],
    ['{"a":"\t"}', 'json', 'syntax'],
    ['\u00a0{"a":1}', 'json', 'syntax'],
  ];
  for (const [text, parser, expected] of cases) {
    it(`${JSON.stringify(text)} as ${parser} is ${expected}`, () =>
      assert.equal(verdict(text, parser), expected));
  }
});

describe('JSONC is read only where it is switched on', () => {
  const commented = '// c\n{"a":1, /* b */ "b":2}';
  const trailing = '{"a":[1,],}';
  const cases: readonly (readonly [string, ParserName, string])[] = [
    [commented, 'json', 'syntax'],
    [commented, 'json-comments', 'parsed a,b'],
    [commented, 'jsonc', 'parsed a,b'],
    [trailing, 'json', 'syntax'],
    [trailing, 'json-comments', 'syntax'],
    [trailing, 'jsonc', 'parsed a'],
    [`${BOM}{"a":1}`, 'json-comments', 'byte-order-mark'],
    [`${BOM}{"a":1}`, 'jsonc', 'parsed a'],
    [`${BOM}${BOM}{"a":1}`, 'jsonc', 'syntax'],
    ['{"a":1 /* open', 'jsonc', 'syntax'],
    ['{,}', 'jsonc', 'syntax'],
    ['{"a":1,,}', 'jsonc', 'syntax'],
    ['{"a" 1}', 'jsonc', 'syntax'],
    ['{"a":}', 'jsonc', 'syntax'],
    ['{"a"}', 'jsonc', 'syntax'],
    ['{"a":1', 'jsonc', 'syntax'],
    ['{"a":1}x', 'jsonc', 'syntax'],
    ['// only a comment', 'jsonc', 'syntax'],
    ['{a:1}', 'jsonc', 'syntax'],
  ];
  for (const [text, parser, expected] of cases) {
    it(`${JSON.stringify(text)} as ${parser} is ${expected}`, () =>
      assert.equal(verdict(text, parser), expected));
  }
});

describe('a key twice is refused in every format', () => {
  const cases: readonly (readonly [string, ParserName])[] = [
    ['{"a":1,"a":1}', 'json'],
    ['{"a":{"b":1,"c":2,"b":3}}', 'json'],
    ['{"a":1,"\\u0061":2}', 'json'],
    ['{"l":[{"x":1,"x":2}]}', 'jsonc'],
    ['{"__proto__":1,"__proto__":2}', 'json'],
    ['{"a":1,/**/"a":2,}', 'jsonc'],
    ['{"a":1,"a":2}', 'json-comments'],
  ];
  for (const [text, parser] of cases) {
    it(`${text} as ${parser}`, () => assert.equal(verdict(text, parser), 'duplicate-key'));
  }

  it('in TOML it is a fault of syntax', () => {
    assert.equal(verdict('a = 1\na = 2', 'toml'), 'syntax');
    assert.equal(verdict('[t.x]\na = 1\n[t.x]\nb = 2', 'toml'), 'syntax');
  });

  it('the same key in two objects is no double', () => {
    assert.equal(verdict('{"a":{"k":1},"b":{"k":2}}', 'json'), 'parsed a,b');
  });
});

describe('bytes', () => {
  it('invalid UTF-8 is refused, also inside a string and at the end', () => {
    for (const bytes of [
      [0xff],
      [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d],
      [0x7b, 0x7d, 0xe2, 0x82],
    ]) {
      assert.equal(verdict(Uint8Array.from(bytes), 'json'), 'invalid-utf8');
      assert.equal(verdict(Uint8Array.from(bytes), 'jsonc'), 'invalid-utf8');
      assert.equal(verdict(Uint8Array.from(bytes), 'toml'), 'invalid-utf8');
    }
    assert.equal(verdict('{"é😀":1}', 'json'), 'parsed é😀');
  });

  it('UTF-16 is refused', () => {
    const refused = verdict(Buffer.from('\ufeff{"a":1}', 'utf16le'), 'jsonc');
    assert.equal(refused, 'invalid-utf8');
  });
});

describe('nesting', () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  it('64 levels are read and 65 refused', () => {
    assert.equal(verdict(nested(64), 'json'), 'parsed a');
    assert.equal(verdict(nested(65), 'json'), 'too-deep');
    assert.equal(verdict(nested(65), 'jsonc'), 'too-deep');
  });

  it('a hundred thousand brackets end nothing but the reading', () => {
    assert.equal(verdict(`{"a":${'['.repeat(100_000)}`, 'jsonc'), 'too-deep');
    assert.equal(verdict(nested(70_000), 'json'), 'too-deep');
    assert.match(verdict(`a = ${'['.repeat(100_000)}`, 'toml'), /^(syntax|too-deep)$/);
    assert.equal(verdict(`${'a.'.repeat(50_000)}a = 1`, 'toml'), 'too-deep');
  });
});

describe('names of the prototype', () => {
  it('are names like any other in JSON', () => {
    const text = '{"__proto__":{"command":"x"},"constructor":1,"toString":2,"hasOwnProperty":3}';
    assert.equal(verdict(text, 'json'), 'parsed __proto__,constructor,toString,hasOwnProperty');
    const document = parseDocument(Buffer.from(text), 'json');
    assert.equal(document.kind, 'parsed');
    if (document.kind !== 'parsed') return;
    assert.equal(isConfigObject(document.root.get('__proto__')), true);
    assert.equal(document.root.has('valueOf'), false);
  });

  it('are names like any other in TOML', () => {
    assert.equal(verdict('[__proto__]\na = 1\n[constructor]\nb = 2', 'toml'), 'parsed __proto__,constructor');
  });
});

describe('TOML', () => {
  it('keeps large integers and dates from failing the document', () => {
    assert.equal(verdict('n = 9223372036854775807\nd = 2026-11-30\nt = 07:32:00', 'toml'), 'parsed n,d,t');
  });

  it('refuses broken syntax with one word', () => {
    for (const text of ['[a', 'a = ', 'a = "x', '= 1', '{"a":1}'])
      assert.equal(verdict(text, 'toml'), 'syntax');
  });
});
