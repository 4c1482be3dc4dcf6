// docs/asyncapi.yaml and docs/openapi.yaml, and checks by their schemas.

import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

import addFormats from 'ajv-formats';
import {parse} from 'yaml';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

export function readDocument(name) {
  const text = readFileSync(DOCS + name, 'utf8');
  return {text, document: parse(text)};
}

// What a JSON pointer, "#/components/…", leads to.
export function follow(document, ref) {
  return ref.slice(2).split('/').reduce(
      (value, key) => value[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

// The schemas with unknown fields forbidden where they don't speak of them.
function closed(value) {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined) {
    copy.additionalProperties = false;
  }
  return copy;
}

function makeChecker(Ajv, document) {
  const ajv = new Ajv({strict: false, allErrors: true});
  addFormats(ajv);
  ajv.addSchema({...document, $id: 'document'});
  const compiled = new Map();
  return (ref, value) => {
    if (!compiled.has(ref)) compiled.set(ref, ajv.compile({$ref: `document${ref}`}));
    const validate = compiled.get(ref);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
}

// Functions of (ref, value) that tell what is wrong with a value by the schema at a JSON pointer;
// null: nothing. The documents let unknown fields pass, so that clients do: `open`. What nodes send
// is looked at more strictly: a field that the document doesn't have is wrong. `Ajv`: the class for
// the document's dialect of JSON Schema.
export function makeCheckers(Ajv, document) {
  return {open: makeChecker(Ajv, document), strict: makeChecker(Ajv, closed(document))};
}
