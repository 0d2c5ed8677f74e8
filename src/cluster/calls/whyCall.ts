import * as Effect from "effect/Effect"
import { addressOptionNames } from "./callOptions.ts"
import { namespaceOrDefault } from "./toStoreRequest.ts"
import { resolveKind } from "./objectApi.ts"
import { validateOptionNames } from "../../options/invalidOptions.ts"
import type { ClusterService } from "../clusterService.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { ObjectAddress } from "./callOptions.ts"
import type { StepRecorder } from "../../explain/steps/stepRecorder.ts"

export const makeWhyCall =
  (
    { kinds }: Pick<ClusterView["Service"], "kinds">,
    stepRecorder: Effect.Effect<StepRecorder>
  ): ClusterService["why"] =>
  (address) =>
    Effect.gen(function* () {
      const { resource, name } = validateOptionNames<ObjectAddress>("why", address, addressOptionNames)
      const { kind } = yield* resolveKind(kinds, resource)
      const { steps } = yield* stepRecorder
      return steps({ kind, name, namespace: namespaceOrDefault(kinds, address) })
    })
