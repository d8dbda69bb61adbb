import Foundation
import Testing
import TillCore
import TillShop

/// Checks that the content of each version of the `.storekit` format is imported completely.
@Suite("A .storekit file of every version is imported")
struct CatalogImportTests {
    @Test("Version 1.0 has products, groups and introductory offers")
    func versionOneZero() throws {
        let imported = try CatalogFixtures.read("v1.0")
        #expect(imported.version == "1.0")
        #expect(imported.offerKey == nil)
        let expected = """
            com.example.quill.ink.small consumable 990 USD
              Small ink pot | en_US Small ink pot
            com.example.quill.letters.month autoRenewable 3990 USD P1M level 1 of 7A0C11E5
              Letters monthly | en_US Letters monthly
              introductory FREE_TRIAL P3D
            com.example.quill.letters.week autoRenewable 1490 USD P1W level 2 of 7A0C11E5
              Letters weekly | en_US Letters weekly
              introductory PAY_AS_YOU_GO 4 × P1W 490 USD
            com.example.quill.letters.year autoRenewable 29990 USD P1Y level 1 of 7A0C11E5
              Letters yearly | en_US Letters yearly
              introductory PAY_UP_FRONT P6M 9990 USD
            com.example.quill.nib.gold nonConsumable 14990 USD
              Golden nib | en_US Golden nib: Writes a little finer
            group 7A0C11E5 Letters
            USA en_US rate 0
            """
        #expect(CatalogListing.text(imported.catalog) == expected)
    }

    @Test("Version 1.1 adds non-renewing subscriptions, promotional offers and their key")
    func versionOneOne() throws {
        let imported = try CatalogFixtures.read("v1.1")
        #expect(imported.version == "1.1")
        let key = try #require(imported.offerKey)
        #expect(key.id == "9D1F02C4")
        #expect(key.privateKey.starts(with: [0x30]))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("privateKey"), "a private key shows in a dump")
        #expect("\(key)" == "offer key 9D1F02C4")
        let expected = """
            com.example.tide.charts nonConsumable 24990 USD shared
              Sea charts | en_US Sea charts
            com.example.tide.flare consumable 1990 USD
              Flare | en_US Flare
            com.example.tide.forecast.quarter autoRenewable 8990 USD P3M level 1 of 0CEA4B1E
              Forecast quarterly | en_US Forecast quarterly
              promotional six-for-less (Six months for less) PAY_UP_FRONT P6M 11990 USD
              promotional half-twice (Half price twice) PAY_AS_YOU_GO 2 × P3M 4990 USD
              promotional fortnight (A fortnight on the house) FREE_TRIAL P2W
            com.example.tide.harbour.2027 nonRenewing 12500 USD
              Harbour pass 2027 | en_US Harbour pass 2027: Every tide table of a year
            group 0CEA4B1E Forecast
            USA en_US rate 5
            """
        #expect(CatalogListing.text(imported.catalog) == expected)
    }

    @Test("Version 1.2 adds offer codes")
    func versionOneTwo() throws {
        let imported = try CatalogFixtures.read("v1.2")
        #expect(imported.version == "1.2")
        #expect(imported.offerKey == nil)
        let expected = """
            com.example.loaf.bimonthly autoRenewable 9980 USD P2M level 1 of B4EAD001 shared
              Bakery every two months | en_US Bakery every two months
              introductory FREE_TRIAL P1M
              promotional rise-again (Rise again) PAY_AS_YOU_GO 3 × P2M 4990 USD
              code CRUMB FREE_TRIAL P2M for new stackable
              code CRUST PAY_AS_YOU_GO 6 × P2M 2000 USD for existing+expired
              code WHOLE LOAF PAY_UP_FRONT P1Y 30000 USD for existing+expired+new
            com.example.loaf.book nonConsumable 7990 USD
              Recipe book | en_US Recipe book
            com.example.loaf.course nonRenewing 49000 USD
              Baking course | en_US Baking course
            com.example.loaf.starter consumable 2490 USD
              Sourdough starter | en_US Sourdough starter
            group B4EAD001 Bakery
            USA en_US rate 0
            """
        #expect(CatalogListing.text(imported.catalog) == expected)
    }

    @Test("Version 2.0 adds the storefront, which determines the currency of prices")
    func versionTwo() throws {
        let imported = try CatalogFixtures.read("v2.0")
        #expect(imported.version == "2.0")
        #expect(imported.offerKey == nil)
        let expected = """
            com.example.sento.bucket nonConsumable 1500000 JPY shared
              桶 | ja 桶 | en_US 桶 (EN)
            com.example.sento.half autoRenewable 6000000 JPY P6M level 2 of 21099001
              湯めぐり 半年 | en_US 湯めぐり 半年
            com.example.sento.month autoRenewable 1200000 JPY P1M level 1 of 21099001 shared
              湯めぐり 月 | en_US 湯めぐり 月
              introductory FREE_TRIAL P1W
              promotional okaeri (おかえり) PAY_AS_YOU_GO 3 × P1M 600000 JPY
              code FUYU PAY_UP_FRONT P3M 2400000 JPY for expired
            com.example.sento.season nonRenewing 9800000 JPY
              シーズン券 | ja シーズン券 | en_US シーズン券 (EN)
            com.example.sento.towel consumable 300000 JPY
              タオル | ja タオル | en_US タオル (EN)
            group 21099001 湯めぐり
            JPN ja_JP rate 12
            """
        #expect(CatalogListing.text(imported.catalog) == expected)
    }

    @Test("Version 3.0 is synced with App Store Connect and has Apple's ids")
    func versionThree() throws {
        let imported = try CatalogFixtures.read("v3.0")
        #expect(imported.version == "3.0")
        #expect(imported.offerKey == nil)
        let expected = """
            com.example.gleis.kaffee consumable 2200 EUR
              Kaffee | en_US Kaffee
            com.example.gleis.karte nonConsumable 8990 EUR shared
              Netzkarte | en_US Netzkarte
            com.example.gleis.plus.jahr autoRenewable 49990 EUR P1Y level 1 of 21400001
              Plus im Jahr | en_US Plus im Jahr
            com.example.gleis.plus.monat autoRenewable 5990 EUR P1M level 2 of 21400001
              Plus im Monat | en_US Plus im Monat
              introductory PAY_AS_YOU_GO 2 × P1M 1990 EUR
              promotional bleib (Bleib dabei) FREE_TRIAL P1M
              code WEICHE FREE_TRIAL P3D for expired+new stackable
            com.example.gleis.sommer nonRenewing 29000 EUR
              Sommerkarte | en_US Sommerkarte
            group 21400001 Gleis Plus
            DEU de_DE rate 13, app 6470001000
            """
        #expect(CatalogListing.text(imported.catalog) == expected)
    }

    @Test("Version 4.0 adds win-back offers, group names and settings for billing problems")
    func versionFour() throws {
        let imported = try CatalogFixtures.read("v4.0")
        #expect(imported.version == "4.0")
        #expect(imported.offerKey == nil)
        let expected = """
            com.example.moth.atlas nonConsumable 6490 GBP shared
              Atlas of moths | en_US Atlas of moths
            com.example.moth.expedition nonRenewing 15000 GBP
              Expedition | en_US Expedition
            com.example.moth.lamp consumable 790 GBP
              Lamp oil | en_US Lamp oil
            com.example.moth.night.month autoRenewable 2990 GBP P1M level 1 of 40DDBA11 shared
              Night watch monthly | en_US Night watch monthly
              introductory FREE_TRIAL P1W
              promotional dusk (Dusk) PAY_AS_YOU_GO 2 × P1M 1490 GBP
              code LANTERN FREE_TRIAL P1M for new stackable
              winBack return-to-light (Return to the light) FREE_TRIAL P1M after 1, 1…24 every 2
              winBack Half a year of nights PAY_UP_FRONT P6M 8000 GBP after 1, 1…24 every 2
            com.example.moth.night.year autoRenewable 24990 GBP P1Y level 1 of 40DDBA11
              Night watch yearly | en_US Night watch yearly
            group 40DDBA11 Night watch | en_GB Night watch: Everything that flies after dark
            GBR en_GB rate 15, grace, billing issues, ask to buy
            """
        #expect(CatalogListing.text(imported.catalog) == expected)
    }

    @Test("Version 5.0 adds billing plans, each with an introductory offer")
    func versionFive() throws {
        let imported = try CatalogFixtures.read("v5.0")
        #expect(imported.version == "5.0")
        #expect(imported.offerKey == nil)
        let expected = """
            com.example.loom.fair nonRenewing 19990 CAD
              Fair ticket | en_US Fair ticket
            com.example.loom.patterns nonConsumable 11990 CAD shared
              Pattern library | en_US Pattern library
            com.example.loom.thread consumable 990 CAD
              Spool of thread | en_US Spool of thread
            com.example.loom.workshop.month autoRenewable 7990 CAD P1M level 2 of 100A1001
              Workshop monthly | en_US Workshop monthly
              pay BILLED_UPFRONT 7990 CAD
              introductory FREE_TRIAL P1W
              promotional warp (Warp) PAY_AS_YOU_GO 3 × P1M 3990 CAD
              code WEFT PAY_UP_FRONT P2M 9990 CAD for existing+expired
              winBack rethread (Rethread) FREE_TRIAL P2M after 1, 1…24 every 2
            com.example.loom.workshop.studio autoRenewable 129990 CAD P1Y level 1 of 100A1001
              Studio yearly | en_US Studio yearly
              pay BILLED_UPFRONT 129990 CAD
              pay MONTHLY 11500 CAD of 138000 CAD off
            com.example.loom.workshop.year autoRenewable 79990 CAD P1Y level 1 of 100A1001 shared
              Workshop yearly | en_US Workshop yearly
              pay BILLED_UPFRONT 79990 CAD
              pay MONTHLY 7250 CAD of 87000 CAD
              introductory PAY_UP_FRONT P6M 29990 CAD
              introductory PAY_AS_YOU_GO 3 × P1M 4990 CAD on MONTHLY
            group 100A1001 Workshop | en_CA Workshop | fr_CA Atelier
            CAN en_CA rate 1002, billing issues
            """
        #expect(CatalogListing.text(imported.catalog) == expected)
    }
}
