import { describeFloors, type EvaluationView } from '@palimpsest/client';

type Props = Readonly<{ evaluation: Pick<EvaluationView, 'scope' | 'scoreFloors'> }>;

/** What a `minScore` of callers becomes with the new model. */
export function ScoreFloors({ evaluation: { scope, scoreFloors } }: Props) {
  const floors = describeFloors(scoreFloors);
  if (floors === undefined) return null;
  return (
    <section aria-label={`Score floors of ${scope}`}>
      <h3>Score floors</h3>
      <p className="muted">
        Callers that set <code>minScore</code> need another one with the new model. These keep the same share of results, by {floors.basis}.
        Nothing is changed automatically.
      </p>
      <div className="table-box" role="region" aria-label={`Table of score floors of ${scope}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">
                Old model
              </th>
              <th scope="col" className="number">
                New model
              </th>
              <th scope="col" className="number">
                Results kept
              </th>
            </tr>
          </thead>
          <tbody>
            {floors.rows.map(({ before, after, kept, isRough }) => (
              <tr key={before}>
                <th scope="row" className="number">
                  {before}
                </th>
                <td className="number">{after}</td>
                <td className="number">
                  {kept}
                  {isRough && <span className="under">rough</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {floors.note !== undefined && <p className="muted">{floors.note}</p>}
    </section>
  );
}
