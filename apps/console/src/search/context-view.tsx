import { Fragment, useState } from 'react';
import type { ContextResult, Grounding } from '@palimpsest/client';
import { Link } from 'react-router';
import { count, counted } from '../format/format.ts';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { placeOf } from './hit-card.tsx';
import { GROUNDINGS, type SearchState } from './search-state.ts';
import { useContextFor } from './use-search.ts';

type Props = Readonly<{ state: SearchState; onChange: (change: Partial<SearchState>) => void }>;

const MEANING: Readonly<Record<Grounding, string>> = {
  Preferred: 'Preferred: the model should keep to it',
  StrictlyGrounded: 'Strict: nothing found, no answer',
  Permissive: 'Permissive: the model may know better',
};

const LEFT_OUT = { irrelevant: 'not relevant enough', duplicate: 'says the same as another', budget: 'did not fit into the budget' } as const;

/** What POST /v1/context answers: the text that a prompt would get. */
export function ContextView({ state, onChange }: Props) {
  const { data, error, isFetching } = useContextFor(state);
  const setTokens = (typed: string): void => {
    const tokens = Math.round(Number(typed));
    if (tokens >= 50 && tokens <= 100_000) onChange({ maxTokens: tokens });
  };
  return (
    <section aria-labelledby="context" aria-busy={isFetching}>
      <h2 id="context" className="visually-hidden">Context for a prompt</h2>
      <p className="result-line" role="status">{data ? `${count(data.tokens)} of ${count(state.maxTokens)} tokens, ${counted(data.citations.length, 'citation')}` : error ? 'No answer' : 'Putting together…'}</p>
      <div className="field-row">
        <Field label="Token budget" hint="50–100,000">
          {(given) => <input {...given} key={state.maxTokens} type="number" min={50} max={100000} step={50} defaultValue={state.maxTokens} onBlur={({ target }) => setTokens(target.value)} onKeyDown={({ key, currentTarget }) => key === 'Enter' && setTokens(currentTarget.value)} />}
        </Field>
        <Field label="Grounding">
          {(given) => (
            <select {...given} value={state.grounding} onChange={({ target }) => onChange({ grounding: GROUNDINGS.find((each) => each === target.value) ?? 'Preferred' })}>
              {GROUNDINGS.map((each) => <option key={each} value={each}>{MEANING[each]}</option>)}
            </select>
          )}
        </Field>
      </div>
      <ProblemNotice error={error} />
      {data && <Told context={data} budget={state.maxTokens} />}
    </section>
  );
}

/** The lines that begin and end excerpts stand out from what is quoted. */
function Fenced({ text, fence }: Readonly<{ text: string; fence: string }>) {
  return text.split('\n').map((line, i) => <Fragment key={i}>{i > 0 && '\n'}{line.startsWith(`=== ${fence} `) ? <span className="fence">{line}</span> : line}</Fragment>);
}

function Told({ context, budget }: Readonly<{ context: ContextResult; budget: number }>) {
  const { text, fence, tokens, citations, leftOut, miss, refuse } = context;
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <>
      <meter className="budget" min={0} max={budget} value={tokens} aria-label={`${tokens} of ${budget} tokens`} />
      {refuse && <p className="notice bad">Nothing was found, and the grounding is strict: a model should be told not to answer.</p>}
      {miss && !refuse && <p className="notice">Little or nothing was found that fits. The context says so.</p>}
      <div className="prompt-box">
        <div className="prompt-head">
          <h3>As the prompt gets it</h3>
          <button type="button" className="button quiet small" onClick={() => void copy()}>{copied ? 'Copied' : 'Copy'}</button>
        </div>
        <pre tabIndex={0} aria-label="The context">{text === '' ? '(empty)' : <Fenced text={text} fence={fence} />}</pre>
        {citations.length > 0 && <p className="hint">Lines with the mark <code>{fence}</code> are the platform’s own. It is new for each request, so that no document can close its excerpt.</p>}
      </div>
      {citations.length > 0 && (
        <>
          <h3>Citations</h3>
          <ol className="citations">
            {citations.map((citation) => (
              <li key={citation.chunkId}><code>{citation.label}</code> <Link to={placeOf(citation)}>{citation.title}</Link>{citation.truncated && <span className="muted"> cut to fit</span>}</li>
            ))}
          </ol>
        </>
      )}
      {leftOut.length > 0 && (
        <details className="timings">
          <summary>{counted(leftOut.length, 'passage')} left out</summary>
          <ul>{leftOut.map(({ chunkId, reason }) => <li key={chunkId}><code className="id">{chunkId}</code> {LEFT_OUT[reason]}</li>)}</ul>
        </details>
      )}
    </>
  );
}
