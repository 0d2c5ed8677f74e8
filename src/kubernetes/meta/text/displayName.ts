/** The name of an object for people, with its namespace unless that is `default`. */
export const displayName = ({
  namespace,
  name
}: {
  readonly namespace?: string | undefined
  readonly name: string
}): string => (namespace === undefined || namespace === "default" ? name : `${namespace}/${name}`)
