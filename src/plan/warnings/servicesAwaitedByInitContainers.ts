import { draftPodSpec } from "../draftPodSpec.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { RequiredObject } from "../previous/assumedObjects.ts"

const retryLoop = /\buntil\b|\bwhile\s+!/u
/** Commands such as `nslookup db`, `nc -z db 5432`, `pg_isready -h db`. */
const commandsBeforeHost = [
  /(?:nslookup|getent\s+hosts|host|dig)\s+/u,
  /nc(?:\s+-\w+(?:\s+\d+)?)+\s+/u,
  /(?:pg_isready|mysqladmin|redis-cli)\s+(?:-\S+\s+)*?-h\s*/u,
  /(?:curl|wget)\b[^;&|\n]*?https?:\/\//u
].map(({ source }) => source)
const host = /(?<host>[a-z](?:[-a-z0-9.]*[a-z0-9])?)(?![-\w.$({])/u
const hostInCommand = new RegExp(String.raw`\b(?:${commandsBeforeHost.join("|")})${host.source}`, "gu")
/** The Service behind a host: `db` in the same namespace, or `db.shop.svc.cluster.local`. */
const serviceOfHost = /^(?<name>[-a-z0-9]+)(?:\.(?<namespace>[-a-z0-9]+)\.svc(?:\..*)?)?$/u

/** Init containers wait in loops such as `until nslookup db; do sleep 2; done`. */
export const servicesAwaitedByInitContainers = (draft: Draft): ReadonlyArray<RequiredObject> => {
  const commands = (draftPodSpec(draft)?.initContainers ?? [])
    .map(({ command = [], args = [] }) => [...command, ...args].join(" "))
    .filter((text) => retryLoop.test(text))
  return commands
    .flatMap((text) =>
      Array.from(
        text.matchAll(hostInCommand),
        ({ groups }) => serviceOfHost.exec(groups?.["host"] ?? "")?.groups
      )
    )
    .flatMap((groups) => {
      const { name = "", namespace = draft.metadata.namespace ?? "default" } = groups ?? {}
      const isOfEveryCluster =
        namespace === "kube-system" || (namespace === "default" && name === "kubernetes")
      return name === "" || name === "localhost" || isOfEveryCluster
        ? []
        : [{ resource: resources.services, namespace, name }]
    })
}
