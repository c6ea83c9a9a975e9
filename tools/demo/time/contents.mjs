/** The person whom the letters are about. */
export const PERSON = 'ann.lindqvist@example.org';
export const QUESTION = 'how many days of holiday may be carried over?';
export const CHANGED = 'company/holidays.md';

const rule = (title, ...sentences) => `# ${title}\n\n${sentences.join(' ')}\n`;

/** The rules of a company, by file name. */
export const RULES = {
  'holidays.md': rule('Holidays', 'Everyone has 30 days of holiday a year.', 'Up to 5 days may be carried over to March of the next year.'),
  'overtime.md': rule('Overtime', 'Overtime is recorded in hours.', 'Up to 20 hours may be carried over to the next month.'),
  'sick-leave.md': rule('Sick leave', 'Days of sickness during a holiday are no days of holiday, if a doctor has confirmed them.'),
  'parental-leave.md': rule('Parental leave', 'Parental leave may be taken in up to three parts.', 'It takes no days of holiday away.'),
  'part-time.md': rule('Part time', 'The days of holiday of people who work part time are counted by the days on which they work.'),
  'notice.md': rule('Notice', 'The period of notice is three months.', 'Days of holiday that are left at its end are paid.'),
  'travel.md': rule(
    'Travel',
    'Trains are booked in second class.',
    'How many hours of a journey are working time depends on the contract.',
  ),
  'expenses.md': rule('Expenses', 'Receipts are submitted within 30 days.', 'Budgets of a year are not carried over.'),
  'training.md': rule('Training', 'Everyone has five days of training a year.', 'They may be moved to the next year once.'),
  'offices.md': rule('Offices', 'Offices are open from 7 to 20 on working days, and closed on public holidays.'),
  'equipment.md': rule('Equipment', 'A laptop is replaced after four years.', 'The warranty ends after three.'),
  'canteen.md': rule('Canteen', 'Lunch is served from 11 to 14.', 'Credit on a card may be carried over without a limit.'),
};

export const CHANGED_RULE = RULES['holidays.md'].replace(
  'Up to 5 days may be carried over to March',
  'Up to 10 days may be carried over to June',
);

/** Letters of one person, by file name. */
export const LETTERS = {
  'lindqvist-knee-operation.md': rule(
    'Ann Lindqvist asks for an exception after her knee operation',
    'Since the operation at Saint Bridget kept me in bed for nine weeks, 12 days of holiday are left.',
    'May all of them be carried over to the next year?',
  ),
  'lindqvist-answer.md': rule(
    'The exception for Ann Lindqvist is granted',
    'The 12 days of holiday that you could not take at Saint Bridget may be carried over.',
  ),
};

/** What the catalog keeps as it is: the name and the title of each letter. */
export const NAMES = Object.entries(LETTERS).flatMap(([name, text]) => [name, text.split('\n')[0].slice(2)]);

const SENTENCES = Object.values(LETTERS).flatMap((text) => text.split('\n')[2].split(/(?<=[.?]) /u));

/** What no file may contain after the erasure. */
export const SECRETS = [PERSON, ...NAMES, ...SENTENCES];
