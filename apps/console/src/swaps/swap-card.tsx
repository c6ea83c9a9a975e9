import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SwapView } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { Canary } from './canary.tsx';
import { EvaluateSwap } from './evaluate-swap.tsx';
import { EvaluationRun } from './evaluation-run.tsx';
import { Evaluation } from './evaluation.tsx';
import { NotRechunked } from './not-rechunked.tsx';
import { StartSwap } from './start-swap.tsx';
import { actionsOf, freedText, isStep, nameOf, needsReason, wordsOf, type SwapAction, type SwapStep } from './swap-actions.ts';
import { chunkingText } from './swap-chunking.ts';
import { OpenPlan } from './swap-plan.tsx';
import { SwapProgress } from './swap-progress.tsx';

const MEANING = {
  idle: '',
  building: 'Searches use the active generation. The new one is being embedded.',
  paused: 'Nothing is embedded until the swap is resumed.',
  ready: 'Built. Searches use it after the cut-over.',
} as const;

type Props = Readonly<{ view: SwapView; onDone: (what: string) => void }>;

/** A scope with its generations, the progress of its swap, and what can be done now. */
export function SwapCard({ view, onDone }: Props) {
  const { client, rights } = useSession();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<SwapAction>();
  const [reason, setReason] = useState('');
  const { scope, state, swap, generations, evaluation } = view;
  const forced = needsReason(view);
  const act = useMutation({
    mutationFn: (step: SwapStep) => (step === 'cutOver' && forced ? client.swaps.cutOver(scope, reason) : client.swaps[step](scope)),
    onSuccess: (result, step) => onDone(`${scope} ${wordsOf(step, view).done}${freedText(result)}`),
    // Also after a refusal: someone else may have been faster.
    onSettled: () => queries.invalidateQueries({ queryKey: ['swaps'] }),
  });
  const close = (): void => setAsked(undefined);
  const begin = (action: SwapAction): void => {
    if (isStep(action) && !wordsOf(action, view).question) act.mutate(action);
    else setAsked(action);
  };
  const step = asked && isStep(asked) ? asked : undefined;
  const question = step && wordsOf(step, view).question;
  const confirm = (confirmed: SwapStep): void => act.mutate(confirmed, { onSuccess: close });
  return (
    <li className="card letter" aria-labelledby={`swap-${scope}`}>
      <div className="letter-head">
        <div>
          <h2 className="breakable" id={`swap-${scope}`}>
            {scope}
          </h2>
          {state !== 'idle' && (
            <p>
              <StatusBadge status={state} /> {MEANING[state]}
            </p>
          )}
        </div>
        {rights.administers && <Actions view={view} busy={act.isPending} onPress={begin} />}
      </div>
      {question === undefined && <ProblemNotice error={act.error} />}
      <EvaluationRun run={view.evaluationRun} />
      {swap && state !== 'idle' && <SwapProgress swap={swap} />}
      <NotRechunked view={view} />
      <OpenPlan view={view} onDone={onDone} />
      {evaluation && <Evaluation scope={scope} evaluation={evaluation} />}
      <Canary view={view} onDone={onDone} />
      <Generations generations={generations} scope={scope} />
      {asked === 'start' && <StartSwap view={view} onClose={close} onDone={onDone} />}
      {asked === 'evaluate' && <EvaluateSwap view={view} onClose={close} onDone={onDone} />}
      {step && question && (
        <Confirm
          title={question.title}
          action={wordsOf(step, view).name}
          busy={act.isPending}
          error={act.error}
          onConfirm={() => confirm(step)}
          onClose={() => (act.reset(), close())}
        >
          <p>{question.text}</p>
          {step === 'cutOver' && forced && (
            <Field label="Reason" hint="The evaluation found that this generation is worse. The reason is kept in the audit trail.">
              {(given) => <input {...given} required maxLength={500} value={reason} onChange={({ target }) => setReason(target.value)} />}
            </Field>
          )}
        </Confirm>
      )}
    </li>
  );
}

type ActionsProps = Readonly<{ view: SwapView; busy: boolean; onPress: (action: SwapAction) => void }>;

function Actions({ view, busy, onPress }: ActionsProps) {
  return (
    <div className="buttons">
      {actionsOf(view).map((action, index) => (
        <button
          key={action}
          type="button"
          className={`button${index === 0 ? ' primary' : ''}${action === 'cancel' || action === 'retire' ? ' danger' : ''}`}
          disabled={busy}
          onClick={() => onPress(action)}
        >
          {nameOf(action, view)}
          <span className="visually-hidden"> of {view.scope}</span>
        </button>
      ))}
    </div>
  );
}

function Generations({ generations, scope }: Pick<SwapView, 'generations' | 'scope'>) {
  return (
    <div className="table-box" role="region" aria-label={`Generations of ${scope}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Generation</th>
            <th scope="col">Status</th>
            <th scope="col">Model</th>
            <th scope="col">Chunks</th>
          </tr>
        </thead>
        <tbody>
          {generations.map(({ generation, embeddingVersion, status, chunking }) => (
            <tr key={generation}>
              <th scope="row">{generation}</th>
              <td>
                <StatusBadge status={status} />
              </td>
              <td className="breakable">
                <code>{embeddingVersion}</code>
              </td>
              <td>{chunkingText(chunking)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
