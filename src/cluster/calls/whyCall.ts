import * as Effect from "effect/Effect"
import { validateAddress } from "./callOptions.ts"
import { namespaceOrDefault } from "./toStoreRequest.ts"
import { resolveKind } from "./objectApi.ts"
import type { ClusterService } from "../clusterService.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { StepRecorder } from "../../explain/steps/stepRecorder.ts"

export const makeWhyCall =
  (
    { kinds }: Pick<ClusterView["Service"], "kinds">,
    stepRecorder: Effect.Effect<StepRecorder>
  ): ClusterService["why"] =>
  (address) =>
    Effect.gen(function* () {
      const { resource, name } = validateAddress("why", address)
      const { kind } = yield* resolveKind(kinds, resource)
      const { steps } = yield* stepRecorder
      return steps({ kind, name, namespace: namespaceOrDefault(kinds, address) })
    })
