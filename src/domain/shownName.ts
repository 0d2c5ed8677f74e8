/** What people call an object: its name, with the namespace where that is not the one everybody begins with. */
export const shownName = ({
  namespace,
  name
}: {
  readonly namespace?: string | undefined
  readonly name: string
}): string => (namespace === undefined || namespace === "default" ? name : `${namespace}/${name}`)
