/** What stands in the pictures beside this program's own documentation: a small company's handbook, written for them. */
export const documents = [
  { knowledgeBase: 'handbook', name: 'travel.md', text: '# Travel\n\n## Trains first\n\nBelow six hours we take the train. Tickets are booked by the office, or by yourself and paid back within a week.\n\n## Hotels\n\nUp to 140 a night, breakfast included. More needs a word with your lead.' },
  { knowledgeBase: 'handbook', name: 'holidays.md', text: '# Holidays\n\nThirty days a year. What is left at the end of March of the next year is lost, unless illness kept you from taking it.\n\n## Who stands in\n\nName somebody in the calendar before you go.' },
  { knowledgeBase: 'handbook', name: 'laptops.md', text: '# Laptops\n\nA new one every four years. The old one may be bought for a tenth of its price, wiped.\n\n## Lost or stolen\n\nCall the help desk at once, at any hour: the disk is sealed, and its key is taken back.' },
  { knowledgeBase: 'handbook', name: 'parental-leave.md', text: '# Parental leave\n\nUp to three years, shared as you like. Tell us seven weeks before it begins.' },
  { knowledgeBase: 'handbook', name: 'expenses/receipts-and-how-they-are-handed-in.md', text: '# Receipts, and how they are handed in\n\nTake a picture on the same day. Receipts older than three months are not paid back.' },
  { knowledgeBase: 'handbook', name: 'scans/old-contract.pdf', text: '%PDF-1.4\nnothing that can be read' },
  { knowledgeBase: 'red-team', name: 'retrospective.md', text: '# Retrospective\n\nWhat went well: the rebuild. What did not: the demo on a train.' },
];

export const questions = ['what must be backed up?', 'who pays for the train?', 'how long is parental leave?', 'what if my laptop is stolen?', 'can a rebuild ask the model?', 'qwertz'];
