import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { ServedPlace } from "./askServer.ts"

export const servedFlags = {
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

export const servedPlace = (given: Command.Command.Config.Infer<typeof servedFlags>): ServedPlace => ({
  name: Option.getOrUndefined(given.name),
  kubeconfig: Option.getOrUndefined(given.kubeconfig)
})
