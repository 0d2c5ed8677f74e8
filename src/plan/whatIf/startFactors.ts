/** How many times as long Pods take to start when a plan plays slow starts. */
export const startFactorDefault = 5
export const startFactorMax = 1000
