/** The title of the first Deployment that a plan tells all about. */
export const planTitle = (stdout: string): string | undefined =>
  stdout.split("\n").find((line) => line.startsWith("Deployment/"))
