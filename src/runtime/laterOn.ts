import { firstRank } from "./kernel.ts"
import type { Later } from "../store/later.ts"
import type { Kernel } from "./kernel.ts"

/** Time for whoever comes between the store and others. */
export const laterOn = (kernel: Kernel): Later => ({
  nowMillis: kernel.nowMillis,
  after: (millis, run) => {
    let isOver = false
    const timer = kernel.after(millis, firstRank, () => {
      isOver = true
      run()
    })
    return () => {
      if (!isOver) kernel.cancel(timer)
      isOver = true
    }
  }
})
