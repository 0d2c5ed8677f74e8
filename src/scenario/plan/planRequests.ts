import { keyOf } from "../../domain/objects.ts"
import { matchesSelector } from "../../domain/selectors.ts"
import { resources } from "../../domain/kinds.ts"
import type { Key } from "../../domain/objects.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { LossCause, ServiceTotals } from "../ledger/serviceTraffic.ts"

/** What was sent to the Services in front of a Deployment during its rollout. */
export interface RolloutRequests extends ServiceTotals {
  readonly services: ReadonlyArray<string>
}

/** Undefined where no Service finds its Pods. */
export const requestsTo = (
  view: Pick<ClusterView["Service"], "get" | "all">,
  ledger: Ledger,
  key: Key,
  untilMillis: number
): RolloutRequests | undefined => {
  const deployment = view.get(resources.deployments, key)
  if (deployment === undefined) return undefined
  const { labels } = deployment.spec.template.metadata ?? {}
  const services: Array<string> = []
  const because: Record<LossCause, number> = { stopping: 0, starting: 0, failing: 0, nobody: 0 }
  let [lost, requests] = [0, 0]
  for (const service of view.all(resources.services)) {
    if (service.metadata.namespace !== deployment.metadata.namespace) continue
    const entry = ledger.ofService(keyOf(service))
    if (entry === undefined || !matchesSelector({ matchLabels: service.spec.selector ?? {} }, labels))
      continue
    const totals = entry.totals(untilMillis)
    services.push(service.metadata.name)
    lost += totals.lost
    requests += totals.requests
    for (const cause of causes) because[cause] += totals.because[cause]
  }
  return services.length === 0 ? undefined : { services, lost, requests, because }
}

/** In the order in which they are told. */
export const causes: ReadonlyArray<LossCause> = ["stopping", "starting", "failing", "nobody"]
