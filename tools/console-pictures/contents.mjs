/** The content of the pictures, in addition to this program's own documentation: the handbook of a small company, written for them. */
export const documents = [
  {
    knowledgeBase: 'handbook',
    name: 'travel.md',
    text: '# Travel\n\n## Trains first\n\nFor trips under six hours, we take the train. The office books the tickets, or you book them yourself and are reimbursed within a week.\n\n## Hotels\n\nUp to 140 a night, breakfast included. Ask your lead before you book a more expensive one.',
  },
  {
    knowledgeBase: 'handbook',
    name: 'holidays.md',
    text: '# Holidays\n\nThirty days a year. Unused days expire at the end of March of the next year, unless you were ill.\n\n## Deputies\n\nName a deputy in the calendar before you leave.',
  },
  {
    knowledgeBase: 'handbook',
    name: 'laptops.md',
    text: '# Laptops\n\nYou get a new one every four years. You may buy the old one, wiped, for a tenth of its price.\n\n## Lost or stolen\n\nCall the help desk immediately, at any hour: the disk is encrypted, and its key is revoked.',
  },
  {
    knowledgeBase: 'handbook',
    name: 'parental-leave.md',
    text: '# Parental leave\n\nUp to three years, shared as you like. Apply seven weeks before it begins.',
  },
  {
    knowledgeBase: 'handbook',
    name: 'expenses/receipts-and-how-to-submit-them.md',
    text: '# Receipts, and how to submit them\n\nTake a picture on the same day. Receipts older than three months are not reimbursed.',
  },
  { knowledgeBase: 'handbook', name: 'scans/old-contract.pdf', text: '%PDF-1.4\nnothing that can be read' },
  {
    knowledgeBase: 'red-team',
    name: 'retrospective.md',
    text: '# Retrospective\n\nWhat went well: the rebuild. What went badly: the demo on a train.',
  },
];

/** What happens to the handbook after the questions: the timeline and the replay show it. */
export const changed = {
  knowledgeBase: 'handbook',
  name: 'travel.md',
  text: '# Travel\n\n## Trains first\n\nFor trips under eight hours, we take the train. The office pays for the tickets in advance, so you need not wait to be reimbursed.\n\n## Hotels\n\nUp to 160 a night, breakfast included. Ask your lead before you book a more expensive one.',
};
export const deleted = {
  knowledgeBase: 'handbook',
  name: 'rail-cards.md',
  text: '# Rail cards\n\nThe office pays for a rail card if you take the train more than ten times a year.',
};
export const replayed = 'who pays for the train?';

export const questions = [
  'what must be backed up?',
  'who pays for the train?',
  'how long is parental leave?',
  'what if my laptop is stolen?',
  'can a rebuild ask the model?',
  'qwertz',
];
