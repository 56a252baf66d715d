// Asks /search at each change of the input. Only the answer to the last question is shown.
'use strict';

const input = document.getElementById('q');
const completions = document.getElementById('completions');
const facets = document.getElementById('facets');
const status = document.getElementById('status');
const hits = document.getElementById('hits');
let question = new AbortController();
/** The values that were chosen, by field. */
const chosen = {};

/** An element with text, or with HTML that the server has made safe. */
function element(name, { text, html, children = [] }) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (html !== undefined) made.innerHTML = html;
  made.append(...children);
  return made;
}

/** A button that puts a word in place of the last one. */
function completion(word) {
  const button = element('button', { text: word });
  button.type = 'button';
  button.addEventListener('click', () => {
    input.value = input.value.replace(/[\p{L}\p{N}]*$/u, '') + word + ' ';
    input.focus();
    search();
  });
  return element('li', { children: [button] });
}

/** A button that shows only the documents with a value, or all again. */
function facet(field, value, count) {
  const button = element('button', { text: `${value} ${count}` });
  button.type = 'button';
  button.setAttribute('aria-pressed', chosen[field] === value);
  button.addEventListener('click', () => {
    if (chosen[field] === value) delete chosen[field]; else chosen[field] = value;
    search();
  });
  return element('li', { children: [button] });
}

function hit({ where, title, snippet }) {
  const heading = element('h2', { html: title });
  return element('li', { children: [heading, element('small', { text: where }), element('p', { html: snippet })] });
}

async function search() {
  question.abort();
  question = new AbortController();
  try {
    const asked = new URLSearchParams({ ...chosen, q: input.value });
    const response = await fetch('search?' + asked, { signal: question.signal });
    if (!response.ok) throw new Error('the server answered ' + response.status);
    const answer = await response.json();
    completions.replaceChildren(...answer.completions.map(completion));
    facets.replaceChildren(...Object.entries(answer.facets).flatMap(([field, counts]) =>
      Object.entries(counts).map(([value, count]) => facet(field, value, count))));
    hits.replaceChildren(...answer.hits.map(hit));
    status.textContent = input.value.trim() === '' ? '' : `${answer.total} found in ${answer.milliseconds} ms`;
  } catch (error) {
    if (error.name !== 'AbortError') status.textContent = 'The search failed: ' + error.message;
  }
}

input.addEventListener('input', search);
input.form.addEventListener('submit', event => event.preventDefault());
// Unless a visitor was faster than this script.
input.value ||= new URLSearchParams(location.search).get('q') ?? '';
search();
