import { useEffect, useEffectEvent, useId, useState } from 'react';
import type { TimelineEntry } from '@palimpsest/client';
import { momentText } from '../format/format.ts';
import { isPosition, type AsOf } from '../past/as-of.ts';
import { happeningOf } from './entry-facts.ts';
import { stepAt } from './moments.ts';

type Props = Readonly<{
  /** Oldest first, at least one. */
  steps: readonly TimelineEntry[];
  asOf: AsOf;
  onChoose: (asOf: AsOf) => void;
}>;

/** Browsers limit how often an address may change, and a drag passes many steps. */
const SETTLE_MS = 150;

/** One step for each loaded entry, and the last one for now: an arrow key goes to the next change. */
export function MomentSlider({ steps, asOf, onChoose }: Props) {
  const id = useId();
  const [dragged, setDragged] = useState<number>();
  const settle = useEffectEvent((step: number) => {
    onChoose(steps[step]?.position);
    setDragged(undefined);
  });
  useEffect(() => {
    if (dragged === undefined) return undefined;
    const timer = window.setTimeout(() => settle(dragged), SETTLE_MS);
    return () => window.clearTimeout(timer);
  }, [dragged]);
  const step = dragged ?? stepAt(steps, asOf);
  const text = dragged === undefined && asOf !== undefined && !isPosition(asOf) ? momentText(asOf) : stepText(steps[step]);
  return (
    <div className="field">
      <label htmlFor={id}>Moment</label>
      <input
        id={id}
        type="range"
        min={0}
        max={steps.length}
        step={1}
        value={step}
        aria-valuetext={text}
        onChange={({ target }) => setDragged(Number(target.value))}
      />
      <p className="range-ends hint" aria-hidden="true">
        <span>{momentText(steps[0]?.at ?? '')}</span>
        <span>now</span>
      </p>
      <p className="moment-text" role="status">
        {text}
      </p>
    </div>
  );
}

const stepText = (step: TimelineEntry | undefined): string =>
  step === undefined ? 'Now' : `${momentText(step.at)} (position ${step.position}): ${happeningOf(step)}`;
