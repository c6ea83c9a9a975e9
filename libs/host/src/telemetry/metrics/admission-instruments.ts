import { Counter, Gauge, type Registry } from 'prom-client';
import { KINDS_OF_WORK, type KindOfWork } from '../../http/admission/kind-of-work.ts';
import type { AdmissionFigures } from '../../http/admission/admission.ts';

const labelNames = ['work'] as const;

/** What stands at the door of the process: read when somebody scrapes, from what `watch` names. */
export const createAdmissionInstruments = (registers: Registry[]): Readonly<{ watch: (figures: () => AdmissionFigures) => void }> => {
  let read: (() => AdmissionFigures) | undefined;
  const each = (put: (work: KindOfWork, figures: AdmissionFigures[KindOfWork]) => void): void => {
    const figures = read?.();
    if (figures !== undefined) for (const work of KINDS_OF_WORK) put(work, figures[work]);
  };
  new Gauge({
    name: 'palimpsest_admission_active_requests', help: 'Requests worked on, by what they cost most of', labelNames, registers,
    collect() { each((work, { active }) => this.set({ work }, active)); },
  });
  new Gauge({
    name: 'palimpsest_admission_waiting_requests', help: 'Requests that wait for their turn', labelNames, registers,
    collect() { each((work, { waiting }) => this.set({ work }, waiting)); },
  });
  new Counter({
    name: 'palimpsest_admission_refused_total', help: 'Requests refused with 429 at the door, since too much was under way; they are in no other figure', labelNames, registers,
    collect() {
      this.reset();
      each((work, { refused }) => this.inc({ work }, refused));
    },
  });
  return { watch: (figures) => void (read = figures) };
};
