import type { SwapChanged, SwapView } from '@palimpsest/client';
import { bytes } from '../format/format.ts';

export type SwapAction = 'start' | 'pause' | 'resume' | 'evaluate' | 'cutOver' | 'rollBack' | 'cancel' | 'retire';

/** These have a dialog of their own. */
type Asked = 'start' | 'evaluate';
/** A step that takes no more than a confirmation. */
export type SwapStep = Exclude<SwapAction, Asked>;

export const isStep = (action: SwapAction): action is SwapStep => action !== 'start' && action !== 'evaluate';

/** What an administrator can do now with the swap of a scope, the usual next step first. The server checks every action again. */
export const actionsOf = (view: Pick<SwapView, 'state' | 'swap' | 'generations' | 'evaluationRun'>): readonly SwapAction[] =>
  view.evaluationRun?.state === 'evaluating' ? stepsOf(view).filter((step) => step !== 'evaluate') : stepsOf(view);

const stepsOf = ({ state, swap, generations }: Pick<SwapView, 'state' | 'swap' | 'generations'>): readonly SwapAction[] => {
  if (state === 'building') return ['pause', 'cancel'];
  if (state === 'paused') return ['resume', 'cancel'];
  if (state === 'ready') return ['cutOver', 'evaluate', 'cancel'];
  const statusOf = (id: string | undefined): string | undefined => generations.find(({ generation }) => generation === id)?.status;
  if (!generations.some(({ status }) => status === 'standby')) return retiresCompanion({ generations }) ? ['start', 'retire'] : ['start'];
  // The latest swap is active, or it was rolled back and is in standby.
  return [statusOf(swap?.generation) === 'standby' ? 'cutOver' : 'rollBack', 'evaluate', 'retire', 'start'];
};

type Words = Readonly<{ name: string; done: string; question?: Readonly<{ title: string; text: string }> }>;

/** `question`: asked first, because searches change or data is deleted. */
const WORDS: Readonly<Record<SwapStep, Words>> = {
  pause: { name: 'Pause', done: 'is paused.' },
  resume: { name: 'Resume', done: 'continues.' },
  cutOver: {
    name: 'Cut over',
    done: 'is searched with the new generation.',
    question: {
      title: 'Let searches use the new generation?',
      text: 'All searches of the scope use it at once. The previous generation is kept up to date, so that you can roll back until you retire it.',
    },
  },
  rollBack: {
    name: 'Roll back',
    done: 'is searched with the previous generation.',
    question: {
      title: 'Return to the previous generation?',
      text: 'All searches of the scope use it at once. Documents that were written since the cut-over are found.',
    },
  },
  cancel: {
    name: 'Cancel the swap',
    done: 'keeps its model.',
    question: { title: 'Cancel this swap?', text: 'What was built so far is deleted. Searches do not change.' },
  },
  retire: {
    name: 'Retire the standby',
    done: 'has freed its standby generation.',
    question: {
      title: 'Retire the standby generation?',
      text: 'Its index is deleted, and you can no longer roll back. Its vectors stay on the log: moving to its model again embeds only what is missing.',
    },
  },
};

const RETIRE_COMPANION: Words = {
  name: 'Retire the companion',
  done: 'has freed its companion.',
  question: {
    title: 'Retire the companion?',
    text: 'Its index is deleted, and searches are reranked by it no longer. Its vectors stay on the log: a companion with its model again embeds only what is missing.',
  },
};

/** What is in standby is retired before the companion. */
const retiresCompanion = ({ generations }: Pick<SwapView, 'generations'>): boolean =>
  generations.some(({ status }) => status === 'companion') && !generations.some(({ status }) => status === 'standby');

export const wordsOf = (step: SwapStep, view: Pick<SwapView, 'generations'>): Words =>
  step === 'retire' && retiresCompanion(view) ? RETIRE_COMPANION : WORDS[step];

/** On the button of an action. */
export const nameOf = (action: SwapAction, view: Pick<SwapView, 'generations'>): string => {
  if (action === 'start') return 'Change model or chunks';
  return action === 'evaluate' ? 'Evaluate' : wordsOf(action, view).name;
};

/** What a step freed, if it was measured. */
export const freedText = ({ freed }: Pick<SwapChanged, 'freed'>): string =>
  freed ? ` ${bytes(freed.memory)} of memory and ${bytes(freed.disk)} of disk are free.` : '';

/** Whether searches may move to this generation only with a reason: its latest evaluation found that it is worse than the active one. */
export const needsReason = ({ evaluation, generations }: Pick<SwapView, 'evaluation' | 'generations'>): boolean =>
  evaluation?.verdict === 'worse' &&
  generations.some(({ generation, status }) => generation === evaluation.generation && (status === 'ready' || status === 'standby'));

/** Which past queries the swap names for the evaluation of its generation. One of the previous generation, after a cut-over, asks the newest. */
export const pastQueriesNamed = ({ swap, generations }: Pick<SwapView, 'swap' | 'generations'>) => {
  const evaluated = generations.find(({ status }) => status === 'ready') ?? generations.find(({ status }) => status === 'standby');
  return swap?.generation === evaluated?.generation ? swap?.pastQueries : undefined;
};

/** The share that is embedded, from 0 to 1. By chunks: ranges of documents differ in size. */
export const shareOf = ({ chunks, total, ranges }: Pick<NonNullable<SwapView['swap']>, 'chunks' | 'total' | 'ranges'>): number =>
  ranges.done === ranges.total || total === 0 ? ranges.done / ranges.total : Math.min(chunks / total, 0.99);

/** `40 s`, `12 min`, `3 h 5 min`: rounded up, because it is an estimate. */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
