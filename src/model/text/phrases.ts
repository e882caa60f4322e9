/**
 * The sentences that default answers are made of. `{T}` is a phrase of the question, `{U}` another one, `{Q}` the
 * question itself, `{N}` a number in words. Phrases may be of any number and kind, so no verb ever has one as its
 * subject, unless it is a modal verb, which is the same for all.
 */

/** A sentence that is taken apart at its slots once, as it is filled again and again. */
export type Template = readonly string[]

/** `On {T}` is `['On ', '{T}']`. */
function templates(...sentences: string[]): readonly Template[] {
  return sentences.map((sentence) => sentence.split(/(\{[TUQN]\})/).filter((piece) => piece !== ''))
}

/** A greeting gives the greeting back, offers help and asks. */
export const offers = [
  'I can help with questions, drafts and plans, and with texts that you would like to shorten, translate or check.',
  'Ask me anything, from a quick question to a longer plan, or paste a text that you would like to work on.',
  'I am here for questions large and small, for lists and comparisons, and for first drafts of nearly everything.',
]
export const offerQuestions = [
  'What would you like to start with?',
  'What can I do for you today?',
  'What is on your mind?',
]

export const lines = templates(
  'The short answer to "{Q}": it comes down to {T}, and a little patience.',
  'To answer "{Q}" in a few words: begin with {T}, and let the rest follow from there.',
  'Briefly, on "{Q}": most of it depends on {T}.',
  'The simplest answer to "{Q}" is also the usual one: look at {T} first.',
)
export const plainLines = templates(
  'The short answer to "{Q}": it depends on the details, but the simplest option is usually the right one.',
  'Briefly, on "{Q}": begin with what you know, and let the rest follow from there.',
)

export const openings = templates(
  'A good answer to "{Q}" has two parts, and the first one is the longer one.',
  'The question "{Q}" has a clear answer, with a few exceptions.',
  'Most answers to "{Q}" begin in the same place, and so does this one.',
  'To answer "{Q}", it is best to begin with what stays the same.',
  'There is a simple answer to "{Q}", and it is right most of the time.',
  'The short answer to "{Q}" is easily given; the longer one needs a closer look.',
)
export const plainOpenings = templates(
  'There is not much to go on, so this answer stays general.',
  'Without more to go on, a few things can still be said.',
)
/** The question comes before them. */
export const yesOrNo = [
  'In most cases, yes.',
  'Usually yes, with one condition.',
  'It depends, but the answer leans towards yes.',
  'Not always, and the exceptions matter.',
  'As a rule, yes.',
]

/** Sentences about one phrase of the question. */
export const pointsOnOne = templates(
  'The effect is easy to see with {T}, and harder to measure.',
  'Much of what is written about {T} repeats the same few observations.',
  'Without {T}, the picture would look quite different.',
  'The part about {T} is also where most misunderstandings begin.',
  'There is good evidence on {T}, and rather less on everything around it.',
  'People who deal with {T} every day tend to agree on this point.',
  'When it comes to {T}, small differences add up over time.',
  'A closer look at {T} shows the same pattern on a smaller scale.',
)
/** Sentences about two phrases of the question. */
export const pointsOnTwo = templates(
  'The connection between {T} and {U} is closer than it seems.',
  'A change in {T} will sooner or later be noticed in {U}.',
  'What holds for {T} does not always hold for {U}.',
  'It is worth keeping {T} and {U} apart, because they raise different questions.',
  'In practice, {T} and {U} can hardly be looked at separately.',
)
/** Sentences that fit everywhere: at least as many as the longest answer has. */
export const points = templates(
  'The details vary from case to case, but the pattern stays the same.',
  'A rule of thumb is enough for most purposes.',
  'There are exceptions, and they are usually well documented.',
  'In everyday use, the difference is small enough to ignore.',
  'Time plays a part as well: what is true at first may change later.',
  'That is also the reason why two careful people can reach different answers.',
  'None of this is new, but it is easily overlooked.',
  'The main cause comes first, and the others only make it stronger or weaker.',
  'A second look is worth the time, because the first impression is often wrong.',
  'Examples help more than definitions here.',
  'Where two sources disagree, the more recent one is usually right.',
  'The first part is a matter of fact, the second one a matter of taste.',
)

export const closings = templates(
  'If you say more about your situation, the answer can be more specific.',
  'The rest depends on the details of your case.',
  'In short: start simple, and check the result before going further.',
  'Let me know which part you would like to look at more closely.',
)

export const stepIntroductions = templates(
  'Here is a simple way to go about "{Q}", step by step:',
  'For "{Q}", these steps work in most cases:',
)
/** In the order in which they are taken. */
export const steps = [
  '**Set the goal.** Write down in one sentence what you want to have at the end.',
  '**Gather what you need.** Check what is already there before adding anything new.',
  '**Start small.** Try the whole thing once on a scale where mistakes are cheap.',
  '**Check the result.** Compare it with the sentence you wrote down at the beginning.',
  '**Change one thing at a time.** Otherwise it is hard to tell what made the difference.',
  '**Ask for a second opinion.** Another pair of eyes finds what the first one missed.',
  '**Repeat at full size.** Give it the time that the small attempt suggested.',
  '**Write down what worked.** The next time will be quicker.',
  '**Decide when to stop.** Good enough is usually reached earlier than it feels.',
  '**Plan the next round.** A date in the calendar is worth more than a good intention.',
]

export const suggestionIntroductions = templates(
  'Here are {N} suggestions for "{Q}":',
  'For "{Q}", these {N} are a good place to begin:',
  '{N} ideas on "{Q}", in no particular order:',
)
export const suggestions = [
  '**The classic choice.** Well known for good reason, and hard to regret.',
  '**A quieter option.** Less crowded, and often better for it.',
  '**Something unexpected.** Not the first thing that comes to mind, which is its charm.',
  '**The quick one.** Takes an hour at most and needs no preparation.',
  '**A low-cost start.** Costs next to nothing, so there is little to lose.',
  '**The thorough one.** Takes a whole day and rewards the patience.',
  '**A modern take.** New, and already recommended by many.',
  '**The local favourite.** Ask around, and this is the one that people mention.',
  '**A seasonal pick.** Best at certain times of the year, so check the dates.',
  '**One for company.** Works better with two or three people than alone.',
]

export const aspectIntroductions = templates(
  'On "{Q}", these points decide most cases:',
  'When it comes to "{Q}", a few points matter more than the rest:',
)
export const aspects = [
  '**Cost:** the first estimate is usually too low, so leave some room.',
  '**Time:** the beginning takes longest, and the rest goes faster than expected.',
  '**Quality:** good enough is easy to reach, and perfect rarely pays.',
  '**Risk:** most of it can be seen early by whoever looks for it.',
  '**Effort:** a little every week does more than a lot once a year.',
  '**Flexibility:** a choice that can be undone needs less thought than one that cannot.',
  '**Support:** somebody has had the same question before, and wrote down the answer.',
  '**Scale:** what works for ten does not always work for a thousand.',
  '**Habit:** what people already do is the strongest argument of all.',
  '**Timing:** the same step is easy in one month and hard in another.',
]

export const comparisonIntroductions = templates(
  'On "{Q}": both have their place, and the better choice depends on what you need.',
  'There is no general answer to "{Q}", but there often is one for a given case.',
)
export const comparisonsOfFirst = templates(
  '**{T}:** the better fit where you want to start quickly and may change your mind later.',
  '**{T}:** the usual choice where simplicity counts more than reach.',
)
export const comparisonsOfSecond = templates(
  '**{U}:** the better fit where the requirements are known and unlikely to move.',
  '**{U}:** worth the extra effort where the work is going to grow.',
)
export const comparisonsOfBoth = [
  '**Cost:** the difference is small at first and grows with use.',
  '**Effort:** the first week decides less than the first year.',
  '**Support:** both have been around long enough to find answers for.',
]
export const comparisonClosings = templates(
  'If in doubt, begin with {T}; a later move to {U} is usually possible.',
  'A short trial of {T} and {U} will tell you more than any table.',
)

/** For stories, poems, letters and the like. */
export const textIntroductions = templates(
  'Here is a first attempt at "{Q}". It can be made shorter, longer or different in tone.',
  'Here is a draft for "{Q}"; say what should change, and it will.',
)
export const texts = [
  'It began on an ordinary morning. Nobody expected much of the day, and so everybody noticed the small change at once: a window left open, a light that should have been off, and a note that said only "later".',
  'The last train had gone, and the station was quiet for the first time that day. On the bench lay a book with a ticket between its pages, as if somebody meant to come back for the ending.',
  'First came the wind, then the leaves, and then the long afternoon in which nothing else happened. Later, everyone remembered it as the best day of the year.',
  'Two neighbours share one fence. "Whose turn is it to paint it?" asks the first. "Yours," says the second, "I chose the colour." They have been friends ever since.',
]

export const headings = ['In short', 'In more detail', 'What to keep in mind']

export const functionOpenings = templates('According to the result:', 'Here is what came back:')
export const functionLines = templates('The result is "{Q}".', 'Here is what came back: "{Q}".')
export const functionClosings = templates(
  'That answers the question as far as the result goes.',
  'Let me know if you would like to look further into it.',
)

export const findingsOpenings = templates(
  'Here is what the search found for "{Q}".',
  'Several pages have something to say about "{Q}".',
)
export const plainFindingsOpenings = templates('Here is what the search found.')
export const looseFindingsOpenings = templates(
  'The search found nothing that mentions "{Q}" directly. The closest pages are these.',
)
/** Before sources that share no word with the question. */
export const otherFindings = templates('Less directly related:', 'These pages touch on it only from afar:')
export const emptyFindingsOpenings = templates(
  'The search found no page that it was allowed to use, so this answer stays general.',
)
