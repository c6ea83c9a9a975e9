import type { KeyboardEvent, ReactNode } from 'react';
import { Link } from 'react-router';
import { gradeOfKey, GRADES, gradeText, type JudgedDocument } from './judging.ts';

export type GradeButtonsProps = Readonly<{ grade: number | undefined; onGrade: (grade: number) => void }>;
type Props = GradeButtonsProps & Readonly<{ document: JudgedDocument; children?: ReactNode }>;

/**
 * A document with a button for each grade. The button of its grade is pressed; pressing it again takes the judgement back. While one of the
 * buttons has the focus, the digit of a grade does the same.
 */
export function JudgedCard({ document: { documentId, source, title, knowledgeBase, missing }, grade, onGrade, children }: Props) {
  const name = title ?? source ?? documentId;
  const isOther = grade !== undefined && !GRADES.some((known) => known.grade === grade);
  const press = (event: KeyboardEvent): void => {
    const given = gradeOfKey(event);
    if (given !== undefined) onGrade(given);
  };
  return (
    <li className="card hit">
      <div>
        <h3 className="breakable">{missing === true ? name : <Link to={`/documents/${documentId}`}>{name}</Link>}</h3>
        <p className="citation">
          {knowledgeBase !== undefined && `${knowledgeBase}: `}
          {source ?? documentId}
          {missing === true && ' (does not exist now)'}
          {isOther && `, ${gradeText(grade)}`}
        </p>
      </div>
      {children}
      <div className="buttons" role="group" aria-label={`Judgement of ${name}`} onKeyDown={press}>
        {GRADES.map((known) => (
          <button
            key={known.grade}
            type="button"
            className="button small"
            aria-pressed={known.grade === grade}
            aria-keyshortcuts={String(known.grade)}
            onClick={() => onGrade(known.grade)}
          >
            {known.name}
            <span className="visually-hidden"> for {name}</span>
          </button>
        ))}
      </div>
    </li>
  );
}
