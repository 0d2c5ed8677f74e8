import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { ServedClusterRef } from "./requestServer.ts"

export const servedClusterFlags = {
  name: Flag.String("name").pipe(
    Flag.withDescription("What the cluster is called; the one of the current context by default"),
    Flag.optional
  ),
  kubeconfig: Flag.String("kubeconfig").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Where its context stands; the kubeconfig that kubectl uses by default"),
    Flag.optional
  )
}

export const servedClusterRef = (
  given: Command.Command.Config.Infer<typeof servedClusterFlags>
): ServedClusterRef => ({
  name: Option.getOrUndefined(given.name),
  kubeconfig: Option.getOrUndefined(given.kubeconfig)
})
