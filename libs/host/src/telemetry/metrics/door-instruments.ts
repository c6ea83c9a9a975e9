import { Counter, Gauge, type Registry } from 'prom-client';
import { KINDS_OF_WORK, type KindOfWork } from '../../http/overload/kind-of-work.ts';
import type { DoorFigures } from '../../http/overload/doors.ts';

const labelNames = ['work'] as const;

/** What stands at the door of the process: read when somebody scrapes, from what `watch` names. */
export const createDoorInstruments = (registers: Registry[]): Readonly<{ watch: (figures: () => DoorFigures) => void }> => {
  let read: (() => DoorFigures) | undefined;
  const each = (put: (work: KindOfWork, figures: DoorFigures[KindOfWork]) => void): void => {
    const figures = read?.();
    if (figures !== undefined) for (const work of KINDS_OF_WORK) put(work, figures[work]);
  };
  new Gauge({
    name: 'palimpsest_door_active_requests', help: 'Requests worked on, by what they cost most of', labelNames, registers,
    collect() { each((work, { active }) => this.set({ work }, active)); },
  });
  new Gauge({
    name: 'palimpsest_door_waiting_requests', help: 'Requests that wait for their turn', labelNames, registers,
    collect() { each((work, { waiting }) => this.set({ work }, waiting)); },
  });
  new Counter({
    name: 'palimpsest_door_refused_total', help: 'Requests refused with 429 at the door, since too much was under way; they are in no other figure', labelNames, registers,
    collect() {
      this.reset();
      each((work, { refused }) => this.inc({ work }, refused));
    },
  });
  return { watch: (figures) => void (read = figures) };
};
