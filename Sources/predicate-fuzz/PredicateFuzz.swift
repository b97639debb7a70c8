// Campaigns of random input, as commands with a seed.

import Campaigns

#if !FUZZING
    @main
#endif
struct PredicateFuzz {
    static func main() async { await CampaignTool.main() }
}
