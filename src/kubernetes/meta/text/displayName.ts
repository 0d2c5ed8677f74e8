/** The name, with the namespace unless that is `default`. */
export const displayName = ({
  namespace,
  name
}: {
  readonly namespace?: string | undefined
  readonly name: string
}): string => (namespace === undefined || namespace === "default" ? name : `${namespace}/${name}`)
