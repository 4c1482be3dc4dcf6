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

// The documents let unknown fields pass, so that clients do. The tests don't: a field that a node
// sends and the document doesn't have is a failure.
function closed(value) {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined) {
    copy.additionalProperties = false;
  }
  return copy;
}

// Answers a function of (ref, value) that tells what is wrong with a value by the schema at a JSON
// pointer; null: nothing. `Ajv`: the class for the document's dialect of JSON Schema.
export function makeChecker(Ajv, document) {
  const ajv = new Ajv({strict: false, allErrors: true});
  addFormats(ajv);
  ajv.addSchema({...closed(document), $id: 'document'});
  const compiled = new Map();
  return (ref, value) => {
    if (!compiled.has(ref)) compiled.set(ref, ajv.compile({$ref: `document${ref}`}));
    const validate = compiled.get(ref);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
}
