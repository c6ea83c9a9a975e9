import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { EvaluationView, SwapView } from '@palimpsest/client';
import { counted, dateTime } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { agreementOf, factsOf, signed } from './evaluation-facts.ts';
import { ScoreFloors } from './score-floors.tsx';

type Props = Readonly<{ scope: string; evaluation: NonNullable<SwapView['evaluation']> }>;

/** The verdict on a generation and its reasons. The evidence is loaded when it is opened. */
export function Evaluation({ scope, evaluation: { verdict, generation, against, reasons, evaluatedAt } }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="evaluation" aria-label={`Evaluation of ${scope}`}>
      <p>
        <StatusBadge status={verdict === 'not-worse' ? 'not worse' : verdict} /> {generation} compared with {against},{' '}
        <time dateTime={evaluatedAt}>{dateTime(evaluatedAt)}</time>
      </p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Evidence</summary>
        {isOpen && <Evidence scope={scope} evaluatedAt={evaluatedAt} />}
      </details>
    </section>
  );
}

function Evidence({ scope, evaluatedAt }: Readonly<{ scope: string; evaluatedAt: string }>) {
  const { client } = useSession();
  const { data, error } = useQuery({
    queryKey: ['evaluation', scope, evaluatedAt],
    queryFn: ({ signal }) => client.swaps.evaluation(scope, { signal }),
  });
  if (data === undefined)
    return error === null ? (
      <p className="muted" role="status">
        Loading…
      </p>
    ) : (
      <ProblemNotice error={error} />
    );
  return (
    <>
      <Measures evaluation={data} scope={scope} />
      <dl className="facts">
        {factsOf(data).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ScoreFloors evaluation={data} />
      <Changed title="Queries that got worse" queries={data.worst} />
      <Changed title="Queries that improved" queries={data.best} />
    </>
  );
}

function Measures({ evaluation: { measures, margin }, scope }: Readonly<{ evaluation: EvaluationView; scope: string }>) {
  return (
    <div className="table-box" role="region" aria-label={`Measures of ${scope}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col" className="number">
              Queries
            </th>
            <th scope="col" className="number">
              Before
            </th>
            <th scope="col" className="number">
              After
            </th>
            <th scope="col" className="number">
              Difference (95 % interval)
            </th>
          </tr>
        </thead>
        <tbody>
          {measures.map(({ measure, source, queries, before, after, difference, interval: [low = 0, high = 0] }) => (
            <tr key={`${source} ${measure}`}>
              <th scope="row">
                {measure}
                <span className="under">{source === 'golden' ? 'judged queries' : 'passages of the scope'}</span>
              </th>
              <td className="number">{queries}</td>
              <td className="number">{before.toFixed(3)}</td>
              <td className="number">{after.toFixed(3)}</td>
              <td className="number">
                {signed(difference)} ({signed(low)} to {signed(high)})<span className="under">accepted loss {margin}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Query = EvaluationView['worst'][number];

function Changed({ title, queries }: Readonly<{ title: string; queries: readonly Query[] }>) {
  if (queries.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {queries.map((query) => (
        <details key={query.name} className="changed-query">
          <summary>
            {query.text ?? query.name}{' '}
            <span className="muted">{`${query.before.toFixed(2)} → ${query.after.toFixed(2)}, ${agreementOf(query)}`}</span>
          </summary>
          <div className="both-results">
            <Results title="Before" results={query.resultsBefore} />
            <Results title="After" results={query.resultsAfter} />
          </div>
        </details>
      ))}
    </section>
  );
}

function Results({ title, results }: Readonly<{ title: string; results: Query['resultsBefore'] }>) {
  return (
    <div>
      <h4>
        {title} <span className="muted">{counted(results.length, 'document')}</span>
      </h4>
      <ol>
        {results.map(({ documentId, source }) => (
          <li key={documentId} className="breakable">
            {source ?? documentId}
          </li>
        ))}
      </ol>
    </div>
  );
}
