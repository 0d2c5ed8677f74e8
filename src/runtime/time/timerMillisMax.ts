/** Node's longest delay, some 24 days; a longer one fires at once. */
export const timerMillisMax = 2 ** 31 - 1
