import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { GRADES, gradeText, type JudgedDocument } from './judging.ts';

export type GradeButtonsProps = Readonly<{ grade: number | undefined; onGrade: (grade: number) => void }>;
type Props = GradeButtonsProps & Readonly<{ document: JudgedDocument; children?: ReactNode }>;

/** A document with a button for each grade. The button of its grade is pressed; pressing it again takes the judgement back. */
export function JudgedCard({ document: { documentId, source, title, knowledgeBase, missing }, grade, onGrade, children }: Props) {
  const name = title ?? source ?? documentId;
  const isOther = grade !== undefined && !GRADES.some((known) => known.grade === grade);
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
      <div className="buttons" role="group" aria-label={`Judgement of ${name}`}>
        {GRADES.map((known) => (
          <button
            key={known.grade}
            type="button"
            className="button small"
            aria-pressed={known.grade === grade}
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
