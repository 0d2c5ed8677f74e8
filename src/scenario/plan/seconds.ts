/** `12.3s`: as advice says a time, never shorter than it is. */
export const seconds = (millis: number): string => `${Math.ceil(millis / 100) / 10}s`
